/*
 * WorkerGroup.cs and WorkerGroup.Wakeups.cs. Every read and every change of shared state is a step of its own; a thread's work
 * on its own variables belongs to the step before.
 */

/* Sets found. */
inline has_own_work(g) {
    found = queue[g] != 0;
#ifdef DEQUES
    v = g;
    do
    :: !found && v < WORKERS -> atomic { found = deque[v] != 0; v = v + GROUPS }
    :: else -> break
    od;
    v = 0
#endif
}

inline count_queue(g) {
    d_step {
        length = length + queue[g];
        v = 0;
        do
        :: v < BUFFERS -> length = length + (buffer[v] == 1 + g -> 1 : 0); v++
        :: else -> break
        od;
        v = 0
    }
}

/* HasBacklog of the group's node. Sets found. An item counts from the time its producer has claimed a slot. */
inline has_backlog(g) {
    least = ENOUGH_IN(g);
    count_queue(g);
#ifdef SIBLINGS
    if
    :: g < 2 -> count_queue(1 - g)
    :: else
    fi;
#endif
#ifdef DEQUES
    v = 0;
    do
    :: length < least && v < WORKERS ->
        atomic { length = length + (v % GROUPS == g || ARE_SIBLINGS(v % GROUPS, g) -> deque[v] : 0); v++ }
    :: else -> break
    od;
    v = 0;
#endif
    d_step { found = length >= least; length = 0; least = 0 }
}

/* No worker there is idle, woken or searching. One word, so one read. */
#define IS_SATURATED(g) (idle[g] == 0 && searching[g] == 0)

/* Overdue work is left to idle workers only. */
#ifdef OVERDUE_IS_LEFT_TO_SEARCHERS
#define IS_SATURATED_FOR_OVERDUE(g) IS_SATURATED(g)
#else
#define IS_SATURATED_FOR_OVERDUE(g) (idle[g] == 0)
#endif

/* Of work that is not overdue, by a worker of another group. Sets found. */
inline is_backlog_worth_stealing(g, by) {
    found = IS_SATURATED(g);
#ifdef SIBLINGS
    if
    :: found && g < 2 && !ARE_SIBLINGS(g, by) -> found = IS_SATURATED(1 - g)
    :: else
    fi;
#endif
#if ENOUGH > 0
    if
    :: found && !ARE_SIBLINGS(g, by) -> has_backlog(g)
    :: else
    fi
#else
    skip
#endif
}

/* Neighbour.IsWorthStealing. Sets found. */
inline is_worth_stealing(g, by) {
#ifdef OVERDUE
    found = overdue[g];
    if
    :: d_step { found -> found = IS_SATURATED_FOR_OVERDUE(g) }
    :: else -> is_backlog_worth_stealing(g, by)
    fi
#else
    is_backlog_worth_stealing(g, by)
#endif
}

/* Sets found. */
inline has_work(g) {
    has_own_work(g);
#ifdef STEAL
    h = 0;
    do
    :: !found && h < GROUPS ->
        if
        :: h != g ->
            is_worth_stealing(h, g);
            if
            :: found -> has_own_work(h)
            :: else
            fi
        :: else
        fi;
        h++
    :: else -> break
    od;
    h = 0
#endif
}

/* One item of a queue or deque, if there is one. Sets found. */
inline take_from(from) { atomic { FENCED; found = from != 0; from = from - found } }

/* Any item of a group: the queue's first, then the deques'. Sets found. */
inline take_any(g) {
    take_from(queue[g]);
#ifdef DEQUES
    v = g;
    do
    :: !found && v < WORKERS -> atomic { take_from(deque[v]); v = v + GROUPS }
    :: else -> break
    od;
    v = 0
#endif
}

inline is_anybody_announced(g) {
    found = false;
    v = g;
    do
    :: v < WORKERS -> found = found || announced[v]; v = v + GROUPS
    :: else -> break
    od;
    v = 0
}

/*
 * NotifyForNode: the calls of NotifySaturated for the group, and for the saturated groups of its node, whose work other nodes have
 * left to the search that has ended.
 */
inline owe_for_node(g) {
    has_own_work(g);
    owed = (found -> owed | (1 << g) : owed);
    found = false;
#if defined(SIBLINGS) && !defined(NO_LOOK_AT_SIBLINGS)
    if
    :: g < 2 && IS_SATURATED(1 - g) ->
        has_own_work(1 - g);
        owed = (found -> owed | (2 >> g) : owed);
        found = false
    :: else
    fi
#endif
}

/* EndIdle. Needs the variable look, which it leaves 0. */
inline end_idle(g, more) {
#ifdef SIBLINGS
    atomic { searching[g] = searching[g] + more; idle[g]--; look = (g < 2 && idle[g] == 0 -> 1 : 0) };
    if
    :: d_step { look == 1 -> assert(IS_SHOWN_LATE || withIdle != 0); withIdle--; look = 0 }
    :: else
    fi;
#else
    atomic { searching[g] = searching[g] + more; idle[g]-- };
#endif
    COUNT_CHANGE(g, resting[g]--)
}

/* Sets woke. */
inline try_wake(g) {
    woke = false;
    do
    :: atomic { idle[g] == 0 || searching[g] != 0 -> break }
#ifdef COUNTED_AFTER_TAKING
    :: atomic { idle[g] != 0 && searching[g] == 0 && FENCED };
#else
    :: atomic { idle[g] != 0 && searching[g] == 0 && FENCED -> searching[g]++ };
#endif
        /* IdleSet.TryTake: the lowest. */
        atomic {
            v = g;
            do
            :: v < WORKERS && !announced[v] -> v = v + GROUPS
            :: else -> break
            od;
            if
            :: v < WORKERS ->
                announced[v] = false;
                assert(beingWoken[g] == 0);
                beingWoken[g] = v + 1;
                woke = true
            :: else -> v = 0
            fi
        };
        if
        :: woke ->
#ifdef COUNTED_AFTER_TAKING
            searching[g]++;
#endif
            end_idle(g, 0);
#ifdef NOT_SIGNALLED
            v = 0;
#else
            d_step { signal[v] = true; v = 0 };
#endif
            break
        :: else
        fi;
        /* A worker was counted as idle, but none has announced itself: the search is given back. */
        atomic {
#ifndef COUNTED_AFTER_TAKING
            searching[g]--;
#endif
            look = (searching[g] != 0 -> 0 : (idle[g] == 0 -> 1 : 2));
            if
            :: look == 0 -> break
            :: else
            fi
        };
        if
        :: look == 1 ->
#ifndef SATURATED_IN_VAIN
            owe_for_node(g);
#endif
            break
        :: else
        fi;
#ifdef NO_LOOK_AFTER_GIVING_BACK
        break;
#endif
        atomic {
            is_anybody_announced(g);
            if
            :: !found -> break
            :: else
            fi
        };
        has_work(g);
        if
        :: !found -> break
        :: else
        fi
    od;
    look = 0
}

/* A group of the same node that has a searcher is left to look here; what one group declines the others do. */
#if defined(SIBLINGS) && defined(OVERDUE)
#define IS_LEFT_TO(n, g) (ARE_SIBLINGS(n, g) && searching[n] != 0 && !overdue[g])
#elif defined(SIBLINGS)
#define IS_LEFT_TO(n, g) (ARE_SIBLINGS(n, g) && searching[n] != 0)
#else
#define IS_LEFT_TO(n, g) false
#endif

/* NodeWorkers.HasIdle; a node with one group shows it by its count of idle workers. */
#ifdef SIBLINGS
#if defined(OVERDUE) && !defined(OVERDUE_IS_LEFT_TO_THE_HINT)
#define HAS_IDLE(n) ((n) >= 2 || withIdle != 0 || overdue[s])
#else
#define HAS_IDLE(n) ((n) >= 2 || withIdle != 0)
#endif
#define NEXT_NODE(n) ((n) < 2 -> 2 : (n) + 1)
#define IS_HOME_SATURATED(g) (IS_SATURATED(g) && ((g) >= 2 || IS_SATURATED(1 - (g))))
#else
#define HAS_IDLE(n) true
#define NEXT_NODE(n) ((n) + 1)
#define IS_HOME_SATURATED(g) IS_SATURATED(g)
#endif

inline wake_neighbour(g) {
    woke = false;
    n = 0;
    do
    :: n >= GROUPS -> break
    :: n < GROUPS && n == g -> n++
    :: n < GROUPS && n != g && !HAS_IDLE(n) -> n = NEXT_NODE(n)
    :: n < GROUPS && n != g && HAS_IDLE(n) ->
        if
        :: IS_LEFT_TO(n, g) -> break
        :: !IS_LEFT_TO(n, g) && idle[n] == 0 -> n++
        :: !IS_LEFT_TO(n, g) && idle[n] != 0 ->
            is_worth_stealing(g, n);
            if
            :: found ->
                try_wake(n);
                if
                :: woke -> break
                :: else -> n++
                fi
            :: !found && (ARE_SIBLINGS(n, g) || !IS_HOME_SATURATED(g)) -> break
            :: !found && !ARE_SIBLINGS(n, g) && IS_HOME_SATURATED(g) -> n = NEXT_NODE(n)
            fi
        fi
    od;
    n = 0; found = false
}

/*
 * NotifySaturated for all groups that are owed it. In the code TryWake calls it at once, and it calls TryWake of other groups;
 * a model has no recursion, so it comes afterwards.
 */
inline notify_saturated() {
    do
    :: owed == 0 -> break
    :: owed != 0 ->
        s = ((owed & 1) != 0 -> 0 : ((owed & 2) != 0 -> 1 : 2));
        owed = owed & ~(1 << s);
#ifdef STEAL
        wake_neighbour(s);
#endif
        wake_monitor()
    od;
    s = 0; woke = false; found = false
}

/* After an item was queued, and a fence. */
inline notify(g) {
    if
    :: searching[g] != 0
    :: searching[g] == 0 && idle[g] != 0 -> try_wake(g)
    :: searching[g] == 0 && idle[g] == 0 -> owed = owed | (1 << g)
    fi;
    notify_saturated()
}

inline woken_no_more(g) { beingWoken[g] = (beingWoken[g] == me + 1 -> 0 : beingWoken[g]) }

/* Ends a search that found something. */
inline end_search(g) {
    atomic {
        FENCED;
        searching[g]--;
        woken_no_more(g);
        look = (searching[g] != 0 -> 0 : (idle[g] == 0 -> 1 : 2))
    };
#ifdef NO_LOOK_AFTER_SEARCH
    look = 0;
#endif
    if
    :: look == 0
    :: look == 1 ->
#ifdef NOT_SATURATED_AFTER_SEARCH
        skip
#else
        owe_for_node(g)
#endif
    :: look == 2 ->
        has_work(g);
        if
        :: found -> try_wake(g)
        :: else
        fi
    fi;
    look = 0;
    notify_saturated()
}

#ifdef SIBLINGS
inline show_idle() {
    if
    :: d_step { look == 1 -> withIdle++; look = 0 }
    :: else
    fi
}
#endif

/* AnnounceIdle. */
inline announce_idle() {
    COUNT(resting[mine]++);
#ifdef SIBLINGS
    atomic {
        FENCED;
        idle[mine]++;
        searching[mine]--;
        woken_no_more(mine);
        look = (mine < 2 && idle[mine] == 1 -> 1 : 0)
    };
#ifndef SHOWN_AFTER_LOOK
    show_idle();
#endif
#else
    atomic { FENCED; idle[mine]++; searching[mine]--; woken_no_more(mine) };
#endif
    announced[me] = true
}

#ifdef STARVES
/* With the read before it: items that wait now without an idle worker must run, whichever thread gets no CPU. */
inline note_what_is_declined() {
    h = (mine + 1) % GROUPS;
    declined[h] = declined[h] || (idle[h] == 0 && queue[h] != 0);
    h = 0
}
#endif

/* WatchNeighbours. */
inline watch_neighbours() {
    skip;
#ifdef OVERDUE
    if
    :: d_step { !monitorAsleep -> DECLINES(note_what_is_declined()) }
    :: d_step { monitorAsleep -> DECLINES(note_what_is_declined()) };
#ifndef LEFT_UNWATCHED
        h = 0;
        do
        :: h < GROUPS ->
            if
            :: h != mine && idle[h] == 0 -> has_own_work(h)
            :: else
            fi;
            if
            :: found -> wake_monitor(); found = false; break
            :: else
            fi;
            h++
        :: else -> break
        od;
        h = 0
#endif
    fi
#endif
}

/* Sets found: whether the announcement was still there. */
inline try_withdraw(w, g) {
    atomic { FENCED; found = announced[w]; announced[w] = false };
    if
    :: found -> end_idle(g, 1)
    :: else
    fi
}
