/* The threads that are not workers. */

active [PRODUCERS] proctype Producer() {
    byte me = _pid - BUFFERS, mine = TARGET(_pid - BUFFERS - WORKERS);
    byte v, h, n, s, look, owed, left = ITEMS;
    bool found, woke;
    do
    :: left == 0 || phase != RUNNING -> break
    :: left != 0 && phase == RUNNING ->
        left--;
        d_step { accepted++; buffer[me] = 1 + mine };
        announce(mine)
    od;
    producing--
}

#ifdef BLOCKING_MONITOR
#define DEQUE(w, g) ((w) < WORKERS && (w) % GROUPS == (g) && deque[(w) % WORKERS] != 0)
#define WAITS(g) (idle[g] == 0 && (queue[g] != 0 || DEQUE(0, g) || DEQUE(1, g) || DEQUE(2, g)))

active proctype Monitor() {
    byte v, n;
    bool found;
    do
    :: true ->
        /* It is awake as long as it sees work that waits for busy workers. That it adds spares then is left out. */
end_awake:
        !WAITS(0) && !WAITS(GROUPS - 1);
        monitorAsleep = true;
#ifndef NO_LOOK_BEFORE_MONITOR_SLEEPS
        n = 0;
        do
        :: !found && n < GROUPS ->
            if
            :: idle[n] == 0 -> has_own_work(n)
            :: else
            fi;
            n++
        :: else -> break
        od;
        n = 0;
#endif
        if
        :: !found ->
end_asleep:
            monitorSignal
        :: else
        fi;
        d_step { monitorAsleep = false; monitorSignal = false; found = false }
    od
}
#endif

#if PLACES > 0
/* WorkerGroup.Place, for all groups. */
active proctype Placer() {
    byte me = THREADS, w;
    bool found;
    do
    :: placement < PLACES ->
        buffer[me] = PLACED;
#ifndef NO_FENCE
        FENCED;
#endif
        w = 0;
        do
        :: w < WORKERS ->
            try_withdraw(w, w % GROUPS);
            if
            :: found -> signal[w] = true
            :: else
            fi;
            w++
        :: else -> break
        od;
        w = 0;
        found = false;
        FENCED
    :: else -> break
    od
}
#endif

#ifdef END
active proctype End() {
    byte me = THREADS, v, n, look;
    bool found;
#ifdef DRAIN
    producing == 0;
#endif
    phase = DRAINING;
    is_drained();
    if
    :: !found ->
        if
        :: drained
#ifndef DRAIN
        /* The limit. */
        :: true
#endif
        fi
    :: else
    fi;
    found = false;
    phase = STOPPED;
    n = 0;
    do
    :: n < WORKERS -> signal[n] = true; n++
    :: else -> break
    od;
    hand_over();
    n = 0;
    do
    :: n < WORKERS ->
        if
        :: gone[n]
        /* The limit of the join, or of the drain before. */
        :: true
        fi;
        n++
    :: else -> break
    od;
    hand_over();
    ended = true
}
#endif

