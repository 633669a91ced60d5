/*
 * Sleeping, searching and waking: src/NumaSharp/Scheduling/WorkerGroup*.cs, Worker*.cs, NumaTaskScheduler*.cs,
 * BlockingMonitor.cs, IdleSet.cs. Items are only counted: which item it is matters to the queues, which have models of their
 * own. README.md beside this file says what stands for what, and lists the variants (-D).
 */
#ifndef GROUPS
#define GROUPS 1
#endif
#ifndef WORKERS
#define WORKERS 2               /* worker w belongs to group w % GROUPS; with SPARE or FEWER the last one is a spare */
#endif
#ifndef PRODUCERS
#define PRODUCERS 2             /* threads outside the workers */
#endif
#if defined(ONE_TARGET)
#define TARGET(p) 0
#elif defined(LAST_TARGET)
#define TARGET(p) (GROUPS - 1)
#else
#define TARGET(p) ((p) % GROUPS)
#endif
#ifndef ITEMS
#define ITEMS 1                 /* per producer */
#endif
#ifndef SPAWNS
#define SPAWNS 0                /* items that queue one more, in total */
#endif
/* With BATCH a worker takes two items of a queue at once, if there are two. */
#if SPAWNS > 0 || defined(BATCH)
#define DEQUES
#endif
#ifndef BLOCKS
#define BLOCKS 0                /* items that never end, in total */
#endif
#ifndef PLACES
#define PLACES 0                /* how often the workers are asked to pin themselves again */
#endif
#ifndef ENOUGH
#define ENOUGH 0                /* the items that must wait on a node before other nodes may take them */
#endif
/* Each group is a node of its own. With SIBLINGS the first two have caches of one node. */
#if GROUPS > 2 && defined(BLOCKING_MONITOR)
#error The monitor looks at the first group and at the last one.
#endif
#ifdef SIBLINGS
#define ARE_SIBLINGS(g, h) ((g) < 2 && (h) < 2 && (g) != (h))
#else
#define ARE_SIBLINGS(g, h) false
#endif
#ifdef FEWER                    /* a plan with fewer workers turns the last one, in this group, into a spare */
#define SHRINKING ((WORKERS - 1) % GROUPS)
#ifdef ENOUGH_THEN              /* the number that must wait there afterwards */
#define ENOUGH_IN(g) ((g) == SHRINKING && base < WORKERS -> ENOUGH_THEN : ENOUGH)
#endif
#endif
#ifndef ENOUGH_IN
#define ENOUGH_IN(g) ENOUGH
#endif
#if defined(STEAL) && defined(BLOCKING_MONITOR)
#define OVERDUE                 /* or the monitor must have seen them wait */
#endif
#if defined(BLOCKING_MONITOR) && defined(END)
#define MONITOR_ENDS
#endif
#define THREADS (WORKERS + PRODUCERS)
#define OTHER THREADS           /* the thread that places workers, or ends them */
#define MONITOR (THREADS + 1)
#ifdef OVERDUE
#define BUFFERS (THREADS + 2)
#else
#define BUFFERS (THREADS + 1)
#endif
#define PLACED(g) (250 + (g))
#define SETS_OVERDUE(g, value) (200 + 2 * (g) + (value))
/* Used at the end only. */
#ifdef END
#define COUNT(change) change
#else
#define COUNT(change) skip
#endif
/* Also changes what is_drained compares: per thread, a bit for each group whose word differs from what it has seen. */
#ifdef DRAIN
#define SEES_CHANGE(thread, g) changed[thread] = changed[thread] | (1 << (g))
#if WORKERS > 2
#define THIRD_SEES_CHANGE(g) SEES_CHANGE(2, g)
#else
#define THIRD_SEES_CHANGE(g) skip
#endif
#define COUNT_CHANGE(g, change) \
    d_step { change; SEES_CHANGE(0, g); SEES_CHANGE(1, g); THIRD_SEES_CHANGE(g); SEES_CHANGE(OTHER, g) }
#else
#define COUNT_CHANGE(g, change) COUNT(change)
#endif
#define WORKERS_OF(g) ((WORKERS + GROUPS - 1 - (g)) / GROUPS)
#if defined(SPARE)
#define IS_SPARE(w) ((w) == WORKERS - 1)
#elif defined(FEWER)
#define IS_SPARE(w) ((w) >= base)
#else
#define IS_SPARE(w) false
#endif

mtype = { RUNNING, DRAINING, STOPPED };

byte queue[GROUPS], deque[WORKERS];             /* as other threads see them */
byte idle[GROUPS], searching[GROUPS];           /* Counts.Packed: one word, so read and changed together */
#ifdef SIBLINGS
byte withIdle;                                  /* NodeWorkers._shared.GroupsWithIdle of the node that has two groups */
bit isUnshown;                                  /* the first worker has announced itself, and gets no CPU to show it there */
#endif
bool announced[WORKERS];                        /* IdleSet */
bool signal[WORKERS];                           /* Parker */
bool gone[WORKERS], stuck[WORKERS], asleep[WORKERS];
byte resting[GROUPS], parted[GROUPS];             /* Counts.Population: one word. Idle workers, and those that are there no more */
mtype phase = RUNNING;
bool drained, ended;
byte changed[BUFFERS];
bool monitorAsleep, monitorSignal;
#ifdef MONITOR_ENDS
bool monitorStopped, monitorEnded;
#endif
byte placement[GROUPS], placed[WORKERS];        /* NodePlacement of a group, and as a worker has followed it */
byte placements, monitorPlaced;                 /* NumaTaskScheduler.Placements, and as the monitor has followed it */
#ifdef FEWER
byte base = WORKERS;                            /* WorkerGroup.BaseCount */
bool limited[WORKERS];                          /* sleeps for as long as a spare */
#endif
#ifdef OVERDUE
bool overdue[GROUPS];
#endif
#ifdef SHOWN_AFTER_LOOK
#define IS_SHOWN_LATE true
#else
#define IS_SHOWN_LATE false
#endif
#ifdef STARVES                  /* the first worker has been woken, and gets no CPU */
bool declined[GROUPS];          /* before it slept, a worker of another group left the waiting items to that one */
#define DECLINES(change) change
#define STARVED(g) ((g) == 0 -> 1 : 0)
#define MUST_RUN(g) ((g) != 0 || declined[g])
#else
#define DECLINES(change) skip
#define STARVED(g) 0
#define MUST_RUN(g) true
#endif
byte accepted, taken, running, elsewhere, spawns = SPAWNS, blocks = BLOCKS, producing = PRODUCERS;
byte beingWoken[GROUPS];                        /* for the claim that it is at most one per group: worker + 1 */

/*
 * A store buffer per thread, for the plain stores that others wait for: an item becoming visible, as 1 + group or as
 * 1 + GROUPS + worker; a new placement; a group becoming overdue. All else is changed by interlocked operations. One entry: no
 * thread writes two of these without a fence.
 */
byte buffer[BUFFERS];

#define FENCED (buffer[me] == 0)

/* Memory takes the stores in at any time; FENCED waits for that, as an interlocked operation does. */
active [BUFFERS] proctype Memory() {
end:
    do
    :: d_step {
        buffer[_pid] != 0 ->
        if
        :: buffer[_pid] >= PLACED(0) -> placement[buffer[_pid] - PLACED(0)]++
#ifdef OVERDUE
        :: buffer[_pid] >= SETS_OVERDUE(0, 0) && buffer[_pid] < PLACED(0) ->
            overdue[(buffer[_pid] - SETS_OVERDUE(0, 0)) / 2] = (buffer[_pid] - SETS_OVERDUE(0, 0)) % 2
#endif
        :: buffer[_pid] <= GROUPS -> queue[buffer[_pid] - 1]++
        :: else -> deque[buffer[_pid] - GROUPS - 1]++
        fi;
        buffer[_pid] = 0
    }
    od
}

#include "Wakeups.Scheduler.pml"
#include "Wakeups.Group.pml"
#include "Wakeups.Worker.pml"
#include "Wakeups.Others.pml"

/* Whether workers of a group may take from another one in which this many items wait. */
#if defined(OVERDUE)
#define MAY_BE_TAKEN(g, by) (idle[g] == 0 && (overdue[g] || searching[g] == 0 && waits >= ENOUGH_IN(g)))
#elif defined(STEAL) && defined(SIBLINGS)
#define MAY_BE_TAKEN(g, by) (IS_SATURATED(g) \
    && (ARE_SIBLINGS(g, by) || (g >= 2 || IS_SATURATED(1 - (g))) && waitsOnNode >= ENOUGH_IN(g)))
#elif defined(STEAL)
#define MAY_BE_TAKEN(g, by) (IS_SATURATED(g) && waits >= ENOUGH_IN(g))
#else
#define MAY_BE_TAKEN(g, by) false
#endif

/* Runs when nothing else can: the state at rest must be right. */
active proctype Quiet() {
    byte w, g, waits;
#ifdef SIBLINGS
    byte waitsOnNode;
#endif
    timeout;
    d_step {
#ifdef END
        assert(accepted == taken + elsewhere);
#ifdef MONITOR_ENDS
        assert(monitorEnded);
#endif
#ifdef DRAIN
        assert(ended && elsewhere == 0);
#endif
#else
#ifdef SIBLINGS
        assert(IS_SHOWN_LATE || withIdle + isUnshown == (idle[0] != 0 -> 1 : 0) + (idle[1] != 0 -> 1 : 0));
#endif
        do
        :: g < GROUPS ->
            waits = queue[g];
            w = g;
            do
            :: w < WORKERS -> waits = waits + deque[w]; w = w + GROUPS
            :: else -> break
            od;
#ifdef SIBLINGS
            waitsOnNode = queue[g] + (g < 2 -> queue[(g < 2 -> 1 - g : 0)] : 0);
            w = 0;
            do
            :: w < WORKERS ->
                waitsOnNode = waitsOnNode + (w % GROUPS == g || ARE_SIBLINGS(w % GROUPS, g) -> deque[w] : 0);
                w++
            :: else -> break
            od;
#endif
            w = 0;
            do
            :: w < WORKERS ->
                /* A sleeping worker has nothing to take, can be woken, and follows the last placement. */
                assert(!asleep[w] || waits == 0 || w % GROUPS != g && !MAY_BE_TAKEN(g, w % GROUPS));
                assert(!asleep[w] || announced[w] && placed[w] == placement[w % GROUPS]);
#ifdef FEWER
                assert(!asleep[w] || !IS_SPARE(w) || limited[w]);
#endif
                w++
            :: else -> break
            od;
#ifdef BLOCKING_MONITOR
            assert(!monitorAsleep || (waits == 0 || !MUST_RUN(g)) && monitorPlaced == placements);
#endif
#ifdef OVERDUE
            /* After a while any waiting item may go anywhere. */
            assert(waits == 0 || overdue[g] || !MUST_RUN(g));
#endif
            assert(searching[g] == STARVED(g));
            g++
        :: else -> break
        od;
        if
        :: blocks == BLOCKS -> assert((accepted == taken || !MUST_RUN(0)) && running == 0)
        :: else
        fi
#endif
    }
}
