/* The processes that are not the loop's threads: posters, the kernel, the watchdog, placing and stopping. */

/* NumaEventLoop.Post, with a handler per poster: the work is written before it is posted. */
active [POSTERS] proctype Poster() {
    byte me = _pid - BUFFERS, mine = _pid - BUFFERS - THREADS, left = POSTS;
    bool wasQueued;
    do
    :: left != 0 ->
        left--;
        owed[mine] = 1;
        atomic { FENCED(me) -> wasQueued = (queued & BIT(mine)) != 0; queued = queued | BIT(mine) };
        if
        :: !wasQueued ->
#ifdef PLAIN_PUSH
            atomic { FENCED(me) -> store[me] = POST; value[me] = mine }
#else
            posts = posts | BIT(mine)
#endif
        :: wasQueued
        fi;
        wake_if_asleep(me)
    :: left == 0 -> break
    od;
    posting--
}

/* Bytes arrive for two sockets at once: one batch if the loop was asleep. */
active proctype Kernel() {
    byte left = EVENTS;
    do
    :: left != 0 -> left--; d_step { owed[1] = 1; owed[2] = 1; ready = ready | 6 }
    :: left == 0 -> break
    od
}

/* NodeThreads.PutBack: it may have been woken for its end while it was taken. */
inline put_back() {
    spares = spares | BIT(s);
    if
    :: nodeStops -> go[s]++
    :: !nodeStops
    fi
}

/* NodeThreads.Take. Sets s, to NONE if there is none. */
inline take() {
    s = SPARE;
    if
    :: s != NONE -> spares = spares & ~BIT(s)
    :: else
    fi
}

/*
 * NumaEventLoop.TryAdmit: a thread that ends enters no loop, and a loop that all have left takes none. Sets s, to NONE. In one
 * step where no thread ends meanwhile.
 */
inline admit() {
#ifdef ENTER_WITHOUT_COMPARE
    entered = entered | BIT(s);
#else
    atomic {
        if
        :: (ended & BIT(s)) == 0 -> entered = entered | BIT(s)
        :: else -> s = NONE
        fi
    };
#endif
    if
    :: s != NONE ->
        atomic {
            if
            :: inside != 0 -> inside++; found = true
            :: else
            fi
        };
        if
        :: found -> found = false
        :: !found -> entered = entered & ~BIT(s); put_back(); s = NONE
        fi
    :: s == NONE
    fi
}

/* Sets word's part of seen if the loop was handed over. */
inline try_hand_over() {
    if
    :: stopping
    :: !stopping ->
#ifdef WATCHDOG_IS_LEFT
        atomic { take() };
        if
        :: s == NONE -> ensure_spare()
        :: s != NONE ->
#ifndef ENTER_AFTER_STEAL
            admit()
#else
            skip
#endif
        fi;
#else
        atomic {
            take();
            if
            :: s != NONE -> assert((ended & BIT(s)) == 0 && inside != 0); entered = entered | BIT(s); inside++
            :: else
            fi
        };
        if
        :: s == NONE -> ensure_spare()
        :: s != NONE
        fi;
#endif
        if
        :: s != NONE ->
            atomic {
#ifdef STEAL_WITHOUT_COMPARE
                seen = word;
#endif
                if
                :: word == seen -> word = NEXT(seen); owner = s; seen = NEXT(seen); unchanged = 0; won = true
#ifdef WATCHDOG_IS_LEFT
                :: else
#else
                :: else -> entered = entered & ~BIT(s); release_loop(); spares = spares | BIT(s)
#endif
                fi
            };
            if
            :: won ->
#ifdef ENTER_AFTER_STEAL
                atomic { inside++; entered = entered | BIT(s) };
#endif
#ifdef UNPARK_BEFORE_HOLDER
                go[s]++;
                holder = s;
#else
                holder = s;
                go[s]++;
#endif
                won = false;
                ensure_spare()
            :: !won ->
#ifdef WATCHDOG_IS_LEFT
#ifndef ENTER_AFTER_STEAL
                leave(s);
#endif
                put_back()
#else
                skip
#endif
            fi
        :: s == NONE
        fi
    fi;
    s = 0
}

/* The loop is quiet: the watchdog drops it, unless it has woken up before it could see that. */
inline let_go() {
#ifdef PLAIN_OFF
    atomic { FENCED(WATCHDOG) -> won = on };
    if
    :: won -> atomic { FENCED(WATCHDOG) -> store[WATCHDOG] = OFF }
    :: !won
    fi;
#else
    atomic { FENCED(WATCHDOG) -> won = on; on = false };
#endif
    if
    :: won ->
        won = false;
#ifndef NO_LOOK_AFTER_LETTING_GO
        found = !asleep;
        found = found || word != seen;
#endif
        if
        :: found ->
            atomic { FENCED(WATCHDOG) -> found = false; won = !on; on = true };
            if
            :: won -> won = false; set_timer(by)
            :: !won
            fi
        :: !found -> d_step { seen = NONE; unchanged = 0 }
        fi
    :: !won -> d_step { seen = NONE; unchanged = 0 }
    fi
}

/* StallWatchdog.Look: three that find the same callback are enough. Whether there were few callbacks is chosen freely. */
inline look() {
    if
    :: !on
    :: on ->
        atomic {
            isSame = (word == seen);
            seen = word;
            unchanged = (isSame && (seen & 1) != 0 -> (unchanged < 2 -> unchanged + 1 : 2) : 0)
        };
        if
        :: unchanged == 2 -> try_hand_over(); set_timer(by)
        :: unchanged == 1 -> set_timer(by)
        :: unchanged == 0 && asleep -> let_go()
        :: unchanged == 0 && (!asleep || !isSame) -> set_timer(by)
        fi
    fi;
    isSame = false
}

/*
 * Checks when a timer has expired, and again while that can make a difference: a loop that neither runs nor sleeps for ever must
 * count as being at rest. When its bell was rung, it sets the timer by the latest threshold, or ends.
 */
active [WATCHED] proctype Watchdog() {
    byte seen, unchanged, s, by;
    bool found, won, isSame, isBell;
#ifdef STOP
    byte fresh;
#endif
    do
    :: watchdogEnds -> break
    :: !watchdogEnds ->
end_watching:
        if
        :: atomic { FENCED(WATCHDOG) && set && !slow && (asleep || word != seen || (word & 1) != 0) -> set = false }
        :: atomic { FENCED(WATCHDOG) && rung -> rung = false; isBell = true }
        fi;
        if
        :: !isBell -> look()
        :: isBell && on -> isBell = false; set_timer(by)
        :: isBell && !on -> isBell = false
        fi
    od;
    watchdogGone = true
}

#ifdef NEIGHBOUR
/* Another loop of the node takes a spare, which comes back when its callback there returns. */
active proctype Neighbour() {
    byte s;
end_neighbour:
    atomic { spares != 0 -> take(); entered = entered | BIT(s) };
    entered = entered & ~BIT(s);
    put_back()
}
#endif

#if PLACES > 0
/* NodeThreads.Place, NumaEventLoop.FollowPlacement, NodeThreads.NudgeAll. */
active proctype Placer() {
    byte t;
    do
    :: placement < PLACES ->
        atomic { FENCED(PLACER) -> store[PLACER] = PLACED };
#ifndef NO_FENCE_AFTER_PLACEMENT
        FENCED(PLACER);
#endif
        wake_if_asleep(PLACER);
        t = 0;
        do
        :: t < THREADS ->
            /* LoopThread.Nudge. */
            if
            :: t < made && go[t] == 0 -> go[t]++
            :: else
            fi;
            t++
        :: else -> break
        od;
        FENCED(PLACER)
    :: else -> break
    od
}
#endif

#if RESTARTS > 0
/* NumaEventLoop.RestartAsync: the exchange is the fence, so nothing stays in a buffer. */
active proctype Restarter() {
    byte left = RESTARTS - WANTED_FIRST;
    do
    :: left != 0 ->
        left--;
        restart = true;
        wake_if_asleep(RESTARTER)
    :: left == 0 -> break
    od
}
#endif

#if CHANGES > 0
/* StallWatchdog.SetStallThreshold; run by the placing thread, which is idle otherwise. */
active proctype Changer() {
    byte left = CHANGES;
    do
    :: left != 0 ->
        left--;
        atomic { FENCED(PLACER) -> store[PLACER] = CHANGED };
#ifndef NO_FENCE_AFTER_CHANGE
        FENCED(PLACER);
#endif
        atomic { rung = true }
    :: left == 0 -> break
    od
}
#endif

#ifdef STOP
/* NumaEventLoopGroup.Dispose, at any time. */
active proctype Stop() {
    byte t;
    watchdogEnds = true;
    rung = true;
#ifndef WATCHDOG_IS_LEFT
    watchdogGone;
#endif
    /* NumaEventLoop.RequestStop: in the loop, so that it is not freed before its bell was rung. */
    d_step { inside++; stopping = true };
    d_step { assert(!freed); bell = true };
    atomic { release_loop() };
    nodeStops = true;
    do
    :: t < THREADS ->
        if
#ifdef STOP_FORGETS_SPARES
        :: t == holder -> go[t]++
#else
        :: t < made -> go[t]++
#endif
        :: else
        fi;
        t++
    :: else -> break
    od
}
#endif
