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
    atomic {
        found = (totalIdle == totalWorkers);
#ifdef DRAIN
        changed[me] = false
#endif
    };
    n = 0;
    do
    :: found && n < GROUPS ->
        has_own_work(n);
        found = !found;
        n++
    :: else -> break
    od;
    n = 0;
    if
    :: found ->
#if defined(UNCHANGED_BY_NUMBERS) || !defined(DRAIN)
        found = (totalIdle == totalWorkers);
#else
        found = !changed[me];
#endif
#ifdef DRAIN
        assert(!found || running == 0 && accepted == taken)
#endif
    :: else
    fi
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
