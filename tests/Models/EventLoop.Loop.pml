/* NumaEventLoop.Run.cs, NumaEventLoop.Threads.cs, NodeThreads.cs and LoopThread.cs. */

/* Before anything that only the holder touches. */
#define OWNED assert(owner == me && !freed)

inline follow_placement() { placed[me] = placement }

/* The further effects of an exchange or a semaphore. */
inline wake_if_asleep(waker) {
    if
    :: asleep ->
        if
        :: atomic { FENCED(waker) && asleep -> asleep = false }; bell = true
        :: atomic { FENCED(waker) && !asleep }
        fi
    :: !asleep
    fi
}

/* The lowest of the spares. */
#define SPARE_FROM_2 ((spares & 4) != 0 -> 2 : ((spares & 8) != 0 -> 3 : NONE))
#define SPARE ((spares & 1) != 0 -> 0 : ((spares & 2) != 0 -> 1 : SPARE_FROM_2))

/* NumaEventLoop.Release: the last one frees what all of them use. */
inline release_loop() {
    inside--;
    if
    :: inside == 0 -> assert(stopping && !freed); freed = true
    :: else
    fi
}

/* NumaEventLoop.Leave, by the thread t itself or for it: it is not among the spares, so no other one enters it meanwhile. */
inline leave(t) {
    atomic { entered = entered & ~BIT(t); release_loop() }
}

/* The node's stop has either found a thread that was started, or was seen here. */
inline look_after_start(t) {
#if defined(STOP) && !defined(NO_LOOK_AFTER_START)
    if
    :: t != NONE && nodeStops -> go[t]++
    :: else
    fi
#else
    skip
#endif
}

/* NodeThreads.TryStart for the loop: sets n, to NONE if no thread can be started. */
inline start_thread() {
    atomic {
        if
        :: made < THREADS -> n = made; made++; inside++; entered = entered | BIT(n)
        :: else -> n = NONE
        fi
    };
    look_after_start(n)
}

inline ensure_spare() {
#ifdef STOP
    if
    :: WATCHED && spares == 0 && !nodeStops && made < THREADS ->
        atomic {
            if
            :: made < THREADS -> fresh = made; made++
            :: else -> fresh = NONE
            fi
        };
        look_after_start(fresh);
        d_step { spares = (fresh != NONE -> spares | BIT(fresh) : spares); fresh = 0 }
    :: else
    fi
#else
    d_step {
        if
        :: WATCHED && spares == 0 && made < THREADS -> spares = spares | BIT(made); made++
        :: else
        fi
    }
#endif
}

/* The effect of Rebuild on events: a new instance reports every added descriptor that is ready. */
#define REPORTED (owed[1] != 0 -> 2 : 0) | (owed[2] != 0 -> 4 : 0)

/* RestartOn. Sets moved. */
inline restart_loop() {
    restart = false;
#ifdef NOTHING_REPORTED
    d_step { OWNED; ready = 0 };
#else
    d_step { OWNED; ready = REPORTED };
#endif
    start_thread();
    if
    :: n != NONE ->
        successor = n;
        do
        :: atomic { spares != 0 -> h = SPARE; spares = spares & ~BIT(h) };
            ended = ended | BIT(h);
            go[h]++;
            h = 0
        :: spares == 0 -> break
        od;
        ensure_spare();
        /* Even, so only the holder changes it: it cannot be stolen here. */
        atomic { OWNED; assert((word & 1) == 0); holder = successor; owner = successor };
        go[successor]++;
        atomic { entered = entered & ~BIT(me); ended = ended | BIT(me); release_loop() };
        moved = true
    :: else
    fi;
    n = 0
}

/* EventLoopHandler.OnReady: does all owed work, holds a flush back, and returns or hangs. */
inline on_ready(h) {
    cork[h] = me;
    owed[h] = 0;
#ifdef CORK_WITHOUT_THE_HINT
    d_step { held[h] = held[h] || cork[h] == me };
#else
    d_step { held[h] = held[h] || cork[h] == me && holder == me };
#endif
    if
    :: d_step { blocks != 0 -> blocks--; stuck[me] = true };
end_stuck:
        false
    :: true
    fi;
    d_step {
        cork[h] = (cork[h] == me -> NONE : cork[h]);
        held[h] = false
    }
}

/* StallAlarm.TurnOn. */
inline turn_on() {
#ifndef NO_ALARM
    if
    :: !on ->
#ifdef PLAIN_ON
        atomic { FENCED(me) -> store[me] = ON };
#else
        atomic { FENCED(me) -> on = true };
#endif
        set_timer(by)
    :: on
    fi
#else
    skip
#endif
}

/* Sets lost. Handlers that allow no hand-over set no timer, and are left out. */
inline invoke(h) {
    OWNED;
#ifndef UNWATCHED
    turn_on();
#endif
#ifdef ENTER_BEFORE_RUNNING
    atomic { FENCED(me) -> mine = NEXT(word); word = mine };
    running = h;
#else
    running = h;
#ifdef PLAIN_MARK
    /* After the mark in the buffer, which has one entry here. */
    atomic { mine = NEXT(word); word = mine };
#else
    atomic { FENCED(me) -> mine = NEXT(word); store[me] = WORD; value[me] = mine };
#endif
#endif
    on_ready(h);
#ifdef PLAIN_LEAVE
    if
    :: word != mine -> lost = true
    :: word == mine -> word = NEXT(mine)
    fi;
#else
    atomic {
        FENCED(me) ->
        if
        :: word == mine -> word = NEXT(mine)
        :: else -> lost = true
        fi
    };
#endif
#ifndef LATE_CLEARS
    if
    :: !lost ->
#endif
        OWNED;
        running = NONE
#ifndef LATE_CLEARS
    :: lost
    fi
#endif
}

/* The lowest of a set. */
inline next_of(set) { h = ((set & 1) != 0 -> 0 : ((set & 2) != 0 -> 1 : 2)) }

#ifdef BATCH_ON_STACK
#define BATCH mineBatch
#else
#define BATCH batch
#endif
#ifdef TAKEN_ON_STACK
#define TAKEN_POSTS mineTaken
#else
#define TAKEN_POSTS taken
#endif

/* A round of several events may end after any of them if something was posted: time may pass at any rate. */
inline dispatch_events() {
    d_step { OWNED; looks = ((BATCH & (BATCH - 1)) != 0) };
    do
    :: lost || BATCH == 0 -> break
    :: !lost && BATCH != 0 ->
        d_step { OWNED; next_of(BATCH); BATCH = BATCH & ~BIT(h) };
        invoke(h);
        if
        :: looks && !lost && BATCH != 0 && posts != 0 -> break
        :: true
        fi
    od;
    looks = false
}

inline dispatch_posts() {
    if
    :: !lost && TAKEN_POSTS == 0 -> atomic { OWNED; FENCED(me) -> TAKEN_POSTS = posts; posts = 0 }
    :: else
    fi;
    do
    :: lost || TAKEN_POSTS == 0 -> break
    :: !lost && TAKEN_POSTS != 0 ->
        d_step { OWNED; next_of(TAKEN_POSTS); TAKEN_POSTS = TAKEN_POSTS & ~BIT(h) };
#ifdef PLAIN_MARK
        atomic { FENCED(me) -> store[me] = TAKEN; value[me] = h };
#else
        atomic { FENCED(me) -> queued = queued & ~BIT(h) };
#endif
        invoke(h)
    od
}

/* StallAlarm.OnAsleep: clears the timer, unless it stays set because the loop wakes up often. */
inline fall_asleep() {
    if
    :: !found ->
        if
        :: atomic { FENCED(me) && on -> on = false };
            d_step { set = false; slow = false };
#ifndef NO_LOOK_AFTER_TAKING_BACK
            if
            :: on -> set_timer(by)
            :: !on
            fi
#endif
        :: true
        fi
    :: found
    fi
}

inline wait_for_events() {
    OWNED;
#ifdef PLAIN_ANNOUNCE
    atomic { FENCED(me) -> store[me] = ASLEEP };
#else
    atomic { FENCED(me) -> asleep = true };
#endif
#ifndef NO_LOOK_BEFORE_SLEEP
    found = (posts != 0);
    found = found || stopping;
#ifndef NO_LOOK_AT_PLACEMENT
    found = found || placed[me] != placement;
#endif
#ifndef NO_LOOK_AT_RESTART
    found = found || restart;
#endif
#if FAILURES > 0 && !defined(NO_LOOK_AT_FAILURE)
    found = found || failing;
#endif
#endif
#ifndef UNWATCHED
    fall_asleep();
#endif
    if
#if FAILURES > 0
    :: failures != 0 -> d_step { failures--; failed = true; found = false }
#endif
    :: true ->
        /* epoll_wait, with timeout 0 if there is work. */
end_asleep:
        atomic { found || ready != 0 || bell -> BATCH = ready; ready = 0; bell = false; found = false; failing = false }
    fi;
    atomic { FENCED(me) -> asleep = false };
    OWNED;
#if FAILURES > 0
    /* OnWaitFailed, awake again: Rebuild succeeds or fails. */
    if
    :: failed ->
        d_step { failed = false; failing = true };
        if
        :: d_step { OWNED; ready = REPORTED }
        :: true
        fi
    :: !failed
    fi
#else
    skip
#endif
}

inline finish_hand_over() {
    if
    :: running != NONE ->
        d_step { OWNED; h = running; running = NONE };
#ifndef NO_ON_HANDED_OVER
        /* SendPipe.BreakCork, under its lock. */
        d_step { cork[h] = NONE; held[h] = false };
#endif
        skip
    :: else
    fi
}

active [THREADS] proctype LoopThread() {
    byte me = _pid - BUFFERS;
    byte h, mine, mineBatch, mineTaken;
    bool lost, found, looks;
#ifndef UNWATCHED
    byte by;
#endif
#if FAILURES > 0
    bool failed;
#endif
#if RESTARTS > 0
    byte n, successor;
    bool moved;
#ifdef STOP
    byte fresh;
#endif
#endif
end_unmade:
    d_step {
        me < made ->
        go[0] = (me == 0 -> 1 : go[0]);
        owed[1] = (me == 0 && batch != 0 -> 1 : owed[1]);
        owed[2] = (me == 0 && batch != 0 -> 1 : owed[2])
    };
    follow_placement();
parked_thread:
end_parked:
    atomic { FENCED(me) && go[me] != 0 -> go[me]-- };
    follow_placement();
    /* LoopThread.Loop: a thread that has left is not the holder any more, even if it is still named. */
    if
    :: holder != me || (entered & BIT(me)) == 0 -> goto may_end
    :: holder == me && (entered & BIT(me)) != 0 && stopping -> goto left
    :: holder == me && (entered & BIT(me)) != 0 && !stopping
    fi;
    finish_hand_over();
    do
    :: stopping -> goto left
    :: !stopping ->
        follow_placement();
#if RESTARTS > 0
        if
        :: restart ->
            restart_loop();
            if
            :: moved -> goto out
            :: !moved
            fi
        :: !restart
        fi;
#endif
        dispatch_events();
        dispatch_posts();
        if
        :: lost -> break
#ifdef WAITS_WITH_EVENTS
        :: !lost -> wait_for_events()
#else
        :: !lost && BATCH == 0 -> wait_for_events()
        /* The rest of the round comes after the posts and the checks between rounds. */
        :: !lost && BATCH != 0
#endif
        fi
    od;
    /* LeaveLate. */
    atomic { FENCED(me) -> holder = (holder == me -> NONE : holder) };
    atomic { lost = false; mineBatch = 0; mineTaken = 0; h = 0; mine = 0 };
    leave(me);
    /* NodeThreads.Park. */
    atomic {
        found = ((spares & 1) + ((spares >> 1) & 1) + ((spares >> 2) & 1) + ((spares >> 3) & 1) >= MAX_SPARES);
        found = found || nodeStops;
        if
        :: found -> found = false; ended = ended | BIT(me); goto out
        :: else -> spares = spares | BIT(me); goto parked_thread
        fi
    };
left:
    leave(me);
may_end:
    /* LoopThread.MayEnd: a thread that is in a loop waits for what happens to it there. */
    atomic {
        FENCED(me) ->
        if
        :: (ended & BIT(me)) == 0 && nodeStops && (entered & BIT(me)) == 0 -> ended = ended | BIT(me)
        :: else
        fi;
        if
        :: (ended & BIT(me)) == 0 -> goto parked_thread
        :: else
        fi
    };
out:
    gone[me] = true
}
