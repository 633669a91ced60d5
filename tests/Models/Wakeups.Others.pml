/* The threads that are not workers. */

active [PRODUCERS] proctype Producer() {
    byte me = _pid - BUFFERS, mine = TARGET(_pid - BUFFERS - WORKERS);
    byte v, h, n, s, look, owed, length, least, left = ITEMS;
    bool found, woke;
    do
    :: left == 0 || phase != RUNNING -> break
    :: left != 0 && phase == RUNNING ->
        left--;
#ifdef TWO_TARGETS
        mine = left % 2;
#endif
        d_step { accepted++; buffer[me] = 1 + mine };
        announce(mine)
    od;
    producing--
}

#ifdef BLOCKING_MONITOR
#define DEQUE(w, g) ((w) < WORKERS && (w) % GROUPS == (g) && deque[(w) % WORKERS] != 0)
#ifdef MONITOR_TRUSTS_SEARCHERS
#define HAS_NO_WORKER(g) IS_SATURATED(g)
#else
#define HAS_NO_WORKER(g) (idle[g] == 0)
#endif
/* MayBecomeOverdue, for a guard. */
#define WAITS(g) (HAS_NO_WORKER(g) && (queue[g] != 0 || DEQUE(0, g) || DEQUE(1, g) || DEQUE(2, g)))

#ifdef OVERDUE
#if defined(OVERDUE_IN_VAIN) || defined(OVERDUE_IS_SAID_ONCE)
#define CAN_BE_WOKEN(g) false
#else
#define ANNOUNCED(w, g) ((w) < WORKERS && (w) % GROUPS == (g) && announced[(w) % WORKERS])
#ifdef OVERDUE_IS_LEFT_TO_THE_HINT
#define IS_LOOKED_AT(g) (withIdle != 0)
#else
#define IS_LOOKED_AT(g) true
#endif
#define CAN_BE_WOKEN(g) (IS_LOOKED_AT(g) && idle[g] != 0 && searching[g] == 0 && (ANNOUNCED(0, g) || ANNOUNCED(1, g) || ANNOUNCED(2, g)))
#endif
/*
 * Whether the next check would find something else than the last one, or wake a worker: the monitor checks every 5 ms, here only
 * if that changes something.
 */
#define LOOK_CHANGES(g) (WAITS(g) -> !isOverdue[g] || WAKES_FOR(g) : isSecond[g])
#define WAKES_FOR(g) (IS_SATURATED_FOR_OVERDUE(g) && CAN_BE_WOKEN(GROUPS - 1 - (g)))
#define IS_CALM (!WAITS(0) && !WAITS(GROUPS - 1) && !isSecond[0] && !isSecond[GROUPS - 1])

/* Look and SetOverdue, without adding spares. */
inline look_at(g) {
    if
    :: HAS_NO_WORKER(g) -> has_own_work(g)
    :: else
    fi;
    if
    :: found && !isSecond[g] -> isSecond[g] = true
    :: found && isSecond[g] && !isOverdue[g] ->
        isOverdue[g] = true;
        buffer[me] = SETS_OVERDUE(g, 1);
#ifndef NO_FENCE_AFTER_OVERDUE
        FENCED;
#endif
#ifndef OVERDUE_IN_VAIN
        owed = 1 << g;
        notify_saturated()
#endif
    :: found && isOverdue[g] ->
#if defined(OVERDUE_IN_VAIN) || defined(OVERDUE_IS_SAID_ONCE)
        skip
#else
        owed = 1 << g;
        notify_saturated()
#endif
    :: !found ->
        isSecond[g] = false;
        if
        :: isOverdue[g] -> isOverdue[g] = false; buffer[me] = SETS_OVERDUE(g, 0)
        :: else
        fi
    fi;
    found = false;
    FENCED
}
#else
/* It stays awake while it sees work that waits for busy workers. Adding spares is left out. */
#define IS_CALM (!WAITS(0) && !WAITS(GROUPS - 1))
#endif

#ifdef MONITOR_ENDS
#define RUNS !monitorStopped
#else
#define RUNS true
#endif

active proctype Monitor() {
    byte v, n;
    bool found;
#ifdef OVERDUE
    byte me = MONITOR, h, s, look, owed, length, least;
    bool woke, isSecond[GROUPS], isOverdue[GROUPS];
#endif
end_awake:
    do
#ifdef MONITOR_ENDS
    :: monitorStopped -> break
#endif
#ifdef OVERDUE
    :: RUNS && LOOK_CHANGES(0) -> look_at(0)
    :: RUNS && LOOK_CHANGES(GROUPS - 1) -> look_at(GROUPS - 1)
#endif
    :: RUNS && IS_CALM ->
#if PLACES > 0
        monitorPlaced = placements;
#endif
        monitorAsleep = true;
#ifndef NO_LOOK_BEFORE_MONITOR_SLEEPS
        n = 0;
        do
        :: !found && n < GROUPS ->
            if
            :: HAS_NO_WORKER(n) -> has_own_work(n)
            :: else
            fi;
            n++
        :: else -> break
        od;
        n = 0;
#endif
#if PLACES > 0 && !defined(NO_LOOK_AT_PLACEMENTS)
        found = found || monitorPlaced != placements;
#endif
#ifdef MONITOR_ENDS
        found = found || monitorStopped;
#endif
        if
        :: !found ->
end_asleep:
            monitorSignal
        :: else
        fi;
        d_step { monitorAsleep = false; monitorSignal = false; found = false }
    od;
#ifdef MONITOR_ENDS
    monitorEnded = true
#endif
}
#endif

#if PLACES > 0
/* WorkerGroup.Place. */
inline place(g) {
#if defined(FEWER) && !defined(BASE_AFTER_WAKING)
    base = (g == SHRINKING -> WORKERS - 1 : base);
#endif
#ifndef PLACED_AFTER_WAKING
    buffer[me] = PLACED(g);
    FENCED;
#endif
    w = g;
    do
    :: w < WORKERS ->
        try_withdraw(w, g);
        if
        :: found -> signal[w] = true
        :: else
        fi;
        w = w + GROUPS
    :: else -> break
    od;
    w = 0;
    found = false;
#if defined(FEWER) && defined(BASE_AFTER_WAKING)
    base = (g == SHRINKING -> WORKERS - 1 : base);
#endif
#ifdef PLACED_AFTER_WAKING
    buffer[me] = PLACED(g);
#endif
    FENCED
}

/* NumaTaskScheduler.Apply. The group that gets fewer workers is the last one: others may have checked before. */
active proctype Placer() {
    byte me = OTHER, to, w, v, h, n, s, look, owed, length, least;
    bool found, woke;
    do
    :: placement[0] < PLACES ->
        placements++;
        to = GROUPS;
        do
        :: to != 0 -> to--; place(to)
        :: else -> break
        od;
#ifndef NO_NOTIFY_AFTER_PLACEMENT
        do
        :: to < GROUPS ->
            has_own_work(to);
            if
            :: found -> notify(to); found = false
            :: else
            fi;
            to++
        :: else -> break
        od;
        to = 0;
#endif
#ifdef MONITOR_IS_NOT_PLACED
        skip
#else
        wake_monitor()
#endif
    :: else -> break
    od
}
#endif

#ifdef END
active proctype End() {
    byte me = OTHER, v, n, look;
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
        /* The limit has passed. */
        :: true
#endif
        fi
    :: else
    fi;
    found = false;
#ifndef PHASE_AFTER_QUEUES
    phase = STOPPED;
#endif
#ifdef MONITOR_ENDS
    /* BlockingMonitor.RequestStop. */
#ifdef SIGNAL_BEFORE_STOP
    monitorSignal = true;
    monitorStopped = true;
#else
    monitorStopped = true;
#ifndef STOP_WITHOUT_SIGNAL
    monitorSignal = true;
#endif
#endif
#endif
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
        /* The limit of the join, or of the drain before it, has passed. */
        :: true
        fi;
        n++
    :: else -> break
    od;
    hand_over();
#ifdef PHASE_AFTER_QUEUES
    phase = STOPPED;
#endif
    ended = true
}
#endif

