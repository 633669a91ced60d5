/* Those who are not the loop's: who posts, the kernel, the watchdog, who places and who stops. */

/* NumaEventLoop.Post of a handler for each poster: what it is posted for is written before. */
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

/* Bytes arrive, for two sockets at once: both are one batch, when the loop has slept. */
active proctype Kernel() {
    byte left = EVENTS;
    do
    :: left != 0 -> left--; d_step { owed[1] = 1; owed[2] = 1; ready = ready | 6 }
    :: left == 0 -> break
    od
}

/* Sets word's part of seen when the loop was handed over. */
inline try_hand_over() {
    if
    :: stopping
    :: !stopping ->
        atomic {
            s = SPARE;
            if
            :: s != NOBODY -> spares = spares & ~BIT(s)
            :: else
            fi
        };
        if
        :: s == NOBODY -> ensure_spare()
        :: s != NOBODY ->
            atomic {
#ifdef STEAL_WITHOUT_COMPARE
                seen = word;
#endif
                if
                :: word == seen -> word = NEXT(seen); owner = s; seen = NEXT(seen); unchanged = 0; won = true
                :: else -> spares = spares | BIT(s)
                fi
            };
            if
            :: won ->
#ifdef UNPARK_BEFORE_HOLDER
                go[s]++;
                holder = s;
#else
                holder = s;
                go[s]++;
#endif
                won = false;
                ensure_spare()
            :: else
            fi
        fi
    fi;
    s = 0
}

inline park() {
#ifdef PLAIN_PARK
    atomic { FENCED(WATCHDOG) -> store[WATCHDOG] = PARKED };
#else
    atomic { FENCED(WATCHDOG) -> parked = true };
#endif
#ifndef NO_LOOK_BEFORE_PARK
    found = !asleep;
    found = found || word != seen;
#endif
    if
    :: found ->
        if
        :: atomic { FENCED(WATCHDOG) && parked -> parked = false }
        :: atomic { FENCED(WATCHDOG) && !parked -> found = false }
        fi
    :: else
    fi;
    if
    :: found -> found = false
    :: else ->
end_watching:
        atomic { unpark != 0 -> unpark-- };
        /* A loop that has released it has taken the mark away already; a change of the threshold has not. */
#ifndef PARKED_STAYS
#ifdef PLAIN_UNPARK
        atomic { FENCED(WATCHDOG) -> store[WATCHDOG] = UNPARKED }
#else
        atomic { FENCED(WATCHDOG) -> parked = false }
#endif
#endif
    fi
}

/*
 * Sleep, and the look at the threshold after it. Short, or over in time, or, where somebody has to end it, so long that only a
 * release does.
 */
inline sleep_watching() {
    if
    :: true
    :: atomic { unpark != 0 -> unpark-- }
#if CHANGES > 0 || defined(STOP)
    :: true -> oversleeps = true;
end_oversleeping:
        atomic { FENCED(WATCHDOG) && unpark != 0 -> unpark--; oversleeps = false }
#endif
    fi;
    sleepsBy = threshold
}

/*
 * Samples when it likes; two that find the same callback are enough. Without a callback, it samples again when that can make a
 * difference: a loop that neither runs nor sleeps, for ever, must be found to be at rest.
 */
active [WATCHED] proctype Watchdog() {
    byte seen, unchanged, s;
    bool found, won, isIdle;
#if RESTARTS > 0
    byte n;
#endif
end_watching_idly:
    do
    :: watchdogEnds -> break
    :: !watchdogEnds && (!isIdle || asleep || word != seen) ->
        sleep_watching();
#ifndef NO_LOOK_AFTER_SLEEP
        if
        :: watchdogEnds -> break
        :: !watchdogEnds
        fi;
#endif
        atomic {
            if
            :: word != seen -> seen = word; unchanged = 0; isIdle = false
            :: word == seen && (word & 1) != 0 -> unchanged = (unchanged < 2 -> unchanged + 1 : 2); isIdle = false
            :: else -> unchanged = 0; isIdle = true
            fi
        };
        if
#ifdef NO_LOOK_AFTER_PARK
        :: isIdle -> park()
#else
        :: isIdle -> park(); sleepsBy = threshold
#endif
        :: !isIdle && unchanged == 2 -> try_hand_over()
        :: else
        fi
    od;
    watchdogGone = true
}

#if PLACES > 0
/* NumaEventLoop.Place. */
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
/* NumaEventLoop.RestartAsync: the exchange is the fence, and nothing is left in a buffer. */
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
/* StallWatchdog.SetStallThreshold; on the thread that places, which has nothing else to do here. */
active proctype Changer() {
    byte left = CHANGES;
    do
    :: left != 0 ->
        left--;
        atomic { FENCED(PLACER) -> store[PLACER] = CHANGED };
#ifndef NO_FENCE_AFTER_CHANGE
        FENCED(PLACER);
#endif
        if
        :: parked
        :: !parked -> atomic { FENCED(PLACER) -> unpark++ }
        fi
    :: left == 0 -> break
    od
}
#endif

#ifdef STOP
/* NumaEventLoopGroup.Dispose, at any time. */
active proctype Stop() {
    byte t;
    watchdogEnds = true;
    unpark++;
#ifndef WATCHDOG_IS_LEFT
    watchdogGone;
#endif
    stopping = true;
    bell = true;
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
