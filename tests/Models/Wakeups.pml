/*
 * Who sleeps, who searches, who wakes whom: src/NumaSharp/Scheduling/WorkerGroup*.cs, Worker*.cs, NumaTaskScheduler.*.cs,
 * BlockingMonitor.cs, IdleSet.cs. An item is a number in a queue: which one it is matters to the queues, which have models
 * of their own. README.md beside this file says what stands for what, and what the variants (-D) are.
 */
#ifndef GROUPS
#define GROUPS 1
#endif
#ifndef WORKERS
#define WORKERS 2               /* worker w belongs to group w % GROUPS; with SPARE the last one is a spare */
#endif
#ifndef PRODUCERS
#define PRODUCERS 2             /* threads outside */
#endif
#ifdef ONE_TARGET
#define TARGET(p) 0
#else
#define TARGET(p) ((p) % GROUPS)
#endif
#ifndef ITEMS
#define ITEMS 1                 /* that each producer queues */
#endif
#ifndef SPAWNS
#define SPAWNS 0                /* items that queue one more, in all */
#endif
#ifndef BLOCKS
#define BLOCKS 0                /* items that never end, in all */
#endif
#ifndef PLACES
#define PLACES 0                /* how often the workers are told to pin themselves anew */
#endif
#define THREADS (WORKERS + PRODUCERS)
#define BUFFERS (THREADS + 1)   /* the last one is that of the thread that places workers, or ends them */
#define PLACED 255
/* Who counts all groups together is asked by neighbours and at the end only. */
#if defined(STEAL) || defined(END)
#define COUNT(change) change
#else
#define COUNT(change) skip
#endif
/* Also changes what is_drained compares: for each thread, whether that is another than it has seen. */
#ifdef DRAIN
#define COUNT_CHANGE(change) d_step { change; changed[0] = true; changed[1] = true; changed[THREADS] = true }
#else
#define COUNT_CHANGE(change) COUNT(change)
#endif
#ifdef SPARE
#define IS_SPARE(w) ((w) == WORKERS - 1)
#else
#define IS_SPARE(w) false
#endif

mtype = { RUNNING, DRAINING, STOPPED };

byte queue[GROUPS], deque[WORKERS];             /* what other threads see of them */
byte idle[GROUPS], searching[GROUPS];           /* Counts.Packed: one word, so read and changed together */
bool announced[WORKERS];                        /* IdleSet */
bool signal[WORKERS];                           /* Parker */
bool gone[WORKERS], stuck[WORKERS], asleep[WORKERS];
byte totalIdle, totalWorkers = WORKERS;         /* NumaTaskScheduler._population: one word */
mtype phase = RUNNING;
bool drained, ended, changed[BUFFERS];
bool monitorAsleep, monitorSignal;
byte placement, placed[WORKERS];
byte accepted, taken, running, elsewhere, spawns = SPAWNS, blocks = BLOCKS, producing = PRODUCERS;
byte beingWoken[GROUPS];                        /* for the claim that it is at most one per group: worker + 1 */

/*
 * A store buffer per thread, for the plain store that others look for: an item becoming visible, as 1 + group or as
 * 1 + GROUPS + worker. All else is changed by interlocked operations. One entry: nobody queues two items without a fence.
 */
byte buffer[BUFFERS];

#define FENCED (buffer[me] == 0)

/* Memory takes the stores in whenever it likes; FENCED waits for that, as an interlocked operation does. */
active [BUFFERS] proctype Memory() {
end:
    do
    :: d_step {
        buffer[_pid] != 0 ->
        if
        :: buffer[_pid] == PLACED -> placement++
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

/* Runs when nothing else can: what has come to rest must be right. */
active proctype Quiet() {
    byte w, g;
    bool waits;
    timeout;
    d_step {
#ifdef END
        assert(accepted == taken + elsewhere);
#ifdef DRAIN
        assert(ended && elsewhere == 0);
#endif
#else
        do
        :: g < GROUPS ->
            waits = queue[g] != 0;
            w = g;
            do
            :: w < WORKERS -> waits = waits || deque[w] != 0; w = w + GROUPS
            :: else -> break
            od;
            w = 0;
            do
            :: w < WORKERS ->
                /* Who sleeps has nothing that it may take, can be woken, and follows the last placement. */
#ifdef STEAL
                assert(!waits || !asleep[w]);
#else
                assert(!waits || !asleep[w] || w % GROUPS != g);
#endif
                assert(!asleep[w] || announced[w] && placed[w] == placement);
                w++
            :: else -> break
            od;
#ifdef BLOCKING_MONITOR
            assert(!waits || !monitorAsleep);
#endif
            assert(searching[g] == 0);
            g++
        :: else -> break
        od;
        if
        :: blocks == BLOCKS -> assert(accepted == taken && running == 0)
        :: else
        fi
#endif
    }
}
