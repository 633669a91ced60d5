/* NumaTaskScheduler.cs and NumaTaskScheduler.Shutdown.cs. */

/* By any thread, after the end: queued items go to the thread pool. */
inline hand_over() {
    n = 0;
    do
    :: n < GROUPS ->
        take_any(n);
        if
        :: found -> elsewhere++
        :: else -> n++
        fi
    :: else -> break
    od;
    n = 0; found = false
}

/* After an item was put into one of the group's queues. */
inline announce(g) {
#ifndef NO_FENCE
    FENCED;
#endif
    notify(g);
#if defined(END) && !defined(NO_LOOK_AT_PHASE)
    if
    :: phase == STOPPED -> hand_over()
    :: else
    fi
#endif
}

/* Sets found. */
inline is_drained() {
    found = true;
    n = 0;
    do
    :: n < GROUPS ->
        atomic {
            found = found && resting[n] == WORKERS_OF(n) - parted[n];
#ifdef DRAIN
            changed[me] = changed[me] & ~(1 << n);
#endif
            n++
        }
    :: else -> break
    od;
    n = 0;
    do
    :: found && n < GROUPS ->
        has_own_work(n);
        found = !found;
        n++
    :: else -> break
    od;
    n = 0;
    do
    :: found && n < GROUPS ->
#if defined(UNCHANGED_BY_NUMBERS) || !defined(DRAIN)
        found = (resting[n] == WORKERS_OF(n) - parted[n]);
#else
        found = ((changed[me] & (1 << n)) == 0);
#endif
#ifdef ONE_GROUP_READ_AGAIN
        n = GROUPS;
#else
        n++
#endif
    :: else -> break
    od;
    n = 0;
#ifdef DRAIN
    assert(!found || running == 0 && accepted == taken)
#endif
}

/* Called whenever a worker goes to sleep or leaves. */
inline notice_idle() {
    skip;
#ifdef END
    if
    :: phase == DRAINING ->
        is_drained();
        drained = drained || found;
        found = false
    :: else
    fi
#endif
}

inline wake_monitor() {
    skip;
#if defined(BLOCKING_MONITOR) && !defined(MONITOR_IS_NOT_WOKEN)
    if
    :: atomic { monitorAsleep -> monitorAsleep = false }; monitorSignal = true
    :: else
    fi
#endif
}
