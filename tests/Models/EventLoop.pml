/*
 * Which thread may touch a loop: src/NumaSharp/Loops (LoopBaton, NumaEventLoop.*, LoopThread, StallWatchdog, PostQueue), by
 * the rules of the README.md there. EventLoop.README.md beside this file says what stands for what, and lists the variants (-D).
 */
#ifndef THREADS
#define THREADS 3               /* the node's threads that may be created; 0 begins as the loop's holder, 1 as a spare */
#endif
#ifndef MAX_SPARES
#define MAX_SPARES 2
#endif
#ifndef POSTS
#define POSTS 1                 /* per poster, for a handler of its own */
#endif
#ifndef POSTERS
#define POSTERS 1
#endif
#ifndef EVENTS
#define EVENTS 1                /* rounds in which the kernel has an event for handlers 1 and 2 at once */
#endif
#ifndef BLOCKS
#define BLOCKS 0                /* callbacks that never return, in total */
#endif
#ifndef PLACES
#define PLACES 0
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef FAILURES
#define FAILURES 0              /* failed waits */
#endif
#ifndef CHANGES
#define CHANGES 0               /* of the watchdog's threshold */
#endif
#ifdef AT_HAND                  /* the loop begins with the events of handlers 1 and 2 */
#define FIRST_BATCH 6
#else
#define FIRST_BATCH 0
#endif
#ifdef AT_ONCE                  /* the first restart is requested from the beginning */
#define WANTED_FIRST 1
#else
#define WANTED_FIRST 0
#endif
#define HANDLERS 3
#define NONE 255
#define PLACER (THREADS + POSTERS)
#define WATCHDOG (PLACER + 1)
#if RESTARTS > 0 && CHANGES > 0 /* placing and changing share a lock, so they share a buffer here */
#define RESTARTER (WATCHDOG + 1)
#define BUFFERS (RESTARTER + 1)
#else
#define RESTARTER PLACER
#define BUFFERS (WATCHDOG + 1)
#endif
#define BIT(h) (1 << (h))
#ifdef UNWATCHED
#define WATCHED 0
#else
#define WATCHED 1
#endif

/* What a plain or volatile store may leave in a thread's store buffer. */
mtype = { NOTHING, WORD, ASLEEP, POST, TAKEN, PLACED, ON, OFF, CHANGED };

/* What only the holder touches; taken and batch are the remaining ones, as sets of handlers. */
byte word, running = NONE, taken, batch = FIRST_BATCH;
byte holder, owner;             /* owner is a ghost: the thread that won the last exchange of the baton */
byte posts, queued;             /* PostQueue, EventLoopHandler._isQueued: sets of handlers */
bool asleep, bell, stopping, freed;
byte ready;                     /* the kernel's: edges that epoll_wait has not returned yet */
byte go[THREADS];               /* semaphores */
#ifdef UNWATCHED
byte spares, made = 1;
#else
byte spares = 2, made = 2;
#endif
byte inside = 1;                /* threads in the loop: its holder and those that are late in it */
byte entered = 1;               /* LoopThread._place, as sets: threads in this loop or another, those that enter none any more */
byte ended;
bool nodeStops;                 /* NodeThreads._stopping */
byte placement, placed[THREADS];
bool stuck[THREADS], gone[THREADS];
bool watchdogEnds, watchdogGone = (WATCHED == 0);
bool on;                        /* StallAlarm._state */
bool set;                       /* the kernel's: the timer expires, at any time */
bool slow;                      /* too far away to count, unless it is set again */
bool rung;                      /* the kernel's: an edge of the watchdog's eventfd */
byte threshold;                 /* StallWatchdog._watch, as the number of changes */
byte setBy;                     /* the threshold that the timer was set by */
bool restart = WANTED_FIRST;    /* a rebuild of the loop is requested */
bool failing;                   /* not NumaEventLoop.IsServing */
byte owed[HANDLERS];            /* what handlers have to do: bytes on a socket, posted work */
byte cork[HANDLERS];            /* the thread whose flushes wait for the end of its callback */
bool held[HANDLERS];            /* such a flush */
byte blocks = BLOCKS, posting = POSTERS, failures = FAILURES;

mtype store[BUFFERS] = NOTHING;
byte value[BUFFERS];

#ifdef NO_SEQUENCE
#define NEXT(word) (1 - (word))
#else
#define NEXT(word) ((word) + 1)
#endif
#define FENCED(thread) (store[thread] == NOTHING)

active [BUFFERS] proctype Memory() {
end:
    do
    :: d_step {
        store[_pid] != NOTHING ->
        if
        :: store[_pid] == WORD -> word = value[_pid]
        :: store[_pid] == ASLEEP -> asleep = true
        :: store[_pid] == POST -> posts = posts | BIT(value[_pid])
        :: store[_pid] == TAKEN -> queued = queued & ~BIT(value[_pid])
        :: store[_pid] == PLACED -> placement++
        :: store[_pid] == ON -> on = true
        :: store[_pid] == OFF -> on = false
        :: store[_pid] == CHANGED -> threshold++
        fi;
        store[_pid] = NOTHING
    }
    od
}

/*
 * StallWatchdog.Set, when the alarm is on: at any time from now, or by a threshold that is too long and must be shortened. Then
 * the check whether the threshold has changed. Sets by.
 */
inline set_timer(by) {
    do
    :: by = threshold;
        d_step { set = true; slow = false; setBy = by };
#if CHANGES > 0
        if
        :: true
        :: true -> slow = true
        fi;
#endif
#ifdef NO_LOOK_AFTER_SET
        break
#else
        if
        :: by == threshold -> break
        :: by != threshold
        fi
#endif
    od;
    by = 0
}

#include "EventLoop.Loop.pml"
#include "EventLoop.Others.pml"

/* Runs when nothing else can: the state at rest must be right. */
active proctype Quiet() {
    byte t, h;
again:
    timeout;
    /* A timer that had to be shortened must have been; then it expires. */
    if
    :: on && set && slow && !watchdogGone -> assert(setBy == threshold); slow = false; goto again
    :: else
    fi;
    d_step {
#ifdef STOP
        do
        :: t < THREADS ->
            assert(t >= made || gone[t] || stuck[t]);
            t++
        :: else -> break
        od;
        assert(freed == (blocks == BLOCKS))
#else
        /* A stuck thread has lost the loop, its holder is alive, and nothing waits for the holder. */
        assert(holder != NONE && !gone[holder]);
        assert((word & 1) == 0 && posts == 0 && taken == 0 && batch == 0 && !restart && !failing);
        assert(inside == 1 + BLOCKS - blocks && (entered & BIT(holder)) != 0);
        do
        :: h < HANDLERS -> assert(owed[h] == 0 && !held[h]); h++
        :: else -> break
        od;
        do
        :: t < THREADS -> assert(t >= made || gone[t] || stuck[t] || placed[t] == placement); t++
        :: else -> break
        od
#endif
    }
}
