/*
 * src/NumaSharp/Scheduling/WorkRing.cs and SharedQueue.cs: a chain of rings, producers at one end, consumers at the other.
 * README.md beside this file says what stands for what. Sequentially consistent: the stores of WorkRing that are not
 * interlocked only make a slot look full for longer. With SLEEP, consumers that find nothing sleep, which needs a correct
 * IsEmpty. Waking has a model of its own; here each producer wakes all consumers.
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef RINGS
#define RINGS 2
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 2         /* per producer; item i of producer p is 1 + p * ITEMS + i */
#endif
#ifndef BATCH
#define BATCH 1         /* what a consumer may take at once */
#endif
#define ALL (PRODUCERS * ITEMS)
#define NONE 255
#define SLOT(ring, at) ((ring) * CAPACITY + (at) % CAPACITY)

/* Per ring: its ends, whether it is closed (a bit of the tail), and its slots. */
byte head[RINGS], tail[RINGS];
bool closed[RINGS], linked[RINGS];
byte item[RINGS * CAPACITY], sequence[RINGS * CAPACITY];
byte firstRing, lastRing;       /* SharedQueue._head, _tail */
bool growth;                    /* the lock */

bool started;
bool idle[CONSUMERS], mayStick = true;
bool taken[ALL + 1];
byte takenCount, producing = PRODUCERS, consuming = CONSUMERS;

/* Sets won: whether there was room. */
inline try_enqueue(r, value) {
    won = false;
    atomic { at = tail[r]; isClosed = closed[r] };
    do
    :: isClosed || sequence[SLOT(r, at)] < at -> break
    :: !isClosed && sequence[SLOT(r, at)] > at -> atomic { at = tail[r]; isClosed = closed[r] }
    :: !isClosed && sequence[SLOT(r, at)] == at ->
        atomic {
            if
            :: tail[r] == at && !closed[r] -> tail[r]++; won = true
            :: else -> at = tail[r]; isClosed = closed[r]
            fi
        };
        if
        :: won ->
#ifdef SEQUENCE_BEFORE_ITEM
            sequence[SLOT(r, at)] = at + 1;
            item[SLOT(r, at)] = value;
#else
            item[SLOT(r, at)] = value;
            sequence[SLOT(r, at)] = at + 1;
#endif
            /* The exchange of the sequence number was a full fence; see Wakeups.pml. */
#ifdef SLEEP
            d_step {
                at = 0;
                do
                :: at < CONSUMERS -> idle[at] = false; at++
                :: else -> break
                od
            };
#endif
            break
        :: else
        fi
    od;
    atomic { at = 0; isClosed = false }
}

inline extend(r) {
    atomic { !growth -> growth = true };
    if
    :: lastRing == r ->
#ifdef LINKED_BEFORE_CLOSED
        linked[r] = true;
        closed[r] = true;
#else
        closed[r] = true;
        linked[r] = true;
#endif
        lastRing = r + 1
    :: else
    fi;
    growth = false
}

/* CountReady, by steps: how many of them are then claimed is up to the consumer. */
inline count_ready(r) {
    count = 0;
    do
#ifdef REST_UNSEEN
    :: count < BATCH && (count != 0 || sequence[SLOT(r, at)] == at + 1) -> count++
#else
    :: count < BATCH && sequence[SLOT(r, at + count)] == at + count + 1 -> count++
#endif
    :: count != 0 -> break
    :: count == 0 && sequence[SLOT(r, at)] != at + 1 -> break
    od
}

/* First in, first out: a producer's items are taken in its order. */
inline use(value) {
    d_step {
        assert(value != 0 && !taken[value]);
        taken[value] = true;
        takenCount++;
        assert(last[(value - 1) / ITEMS] < value);
        last[(value - 1) / ITEMS] = value
    }
}

/* WorkRing.TryClaim, then Take of each. Sets got: whether it has taken some. */
inline try_dequeue_from(r) {
    got = false;
    at = head[r];
    do
    :: true ->
        count_ready(r);
        if
        :: count != 0 ->
            atomic {
                if
                :: head[r] == at -> head[r] = head[r] + count; got = true
                :: else -> at = head[r]
                fi
            };
            if
            :: got -> break
            :: else
            fi
        :: else ->
            if
            :: head[r] == at -> break
            :: head[r] != at -> at = head[r]
            fi
        fi
    od;
    do
    :: !got || count == 0 -> break
    :: got && count != 0 ->
        use(item[SLOT(r, at)]);
#ifdef SEQUENCE_BEFORE_CLEARING
        sequence[SLOT(r, at)] = at + CAPACITY;
        d_step { item[SLOT(r, at)] = 0; at++; count-- }
#else
        item[SLOT(r, at)] = 0;
        d_step { sequence[SLOT(r, at)] = at + CAPACITY; at++; count-- }
#endif
    od;
    atomic { at = 0; count = 0 }
}

/* WorkRing.IsEmpty. Sets isEmpty. */
inline is_ring_empty(r) {
    do
    :: true ->
        at = head[r];
        isEmpty = (sequence[SLOT(r, at)] != at + 1);
        if
#ifdef EMPTY_AT_FIRST_SIGHT
        :: true -> break
#else
        :: !isEmpty || head[r] == at -> break
        :: else
#endif
        fi
    od;
    at = 0
}

/* SharedQueue.IsEmpty. Sets isEmpty. */
inline is_empty() {
    ring = firstRing;
    do
    :: true ->
        is_ring_empty(ring);
        if
        :: isEmpty && linked[ring] ->
            if
            :: tail[ring] == head[ring] -> ring++
            :: else -> break
            fi
        :: else -> break
        fi
    od;
    ring = 0
}

/* WaitForWork: announce, fence, then check once more. */
inline sleep() {
    idle[_pid - PRODUCERS] = true;
    is_empty();
    if
    :: isEmpty ->
end_asleep:
        !idle[_pid - PRODUCERS]
    :: else -> idle[_pid - PRODUCERS] = false
    fi;
    isEmpty = false
}

active [PRODUCERS] proctype Producer() {
    byte left = ITEMS, ring, at;
    bool won, isClosed;
    started;
    do
    :: left == 0 -> break
    :: left != 0 ->
        ring = lastRing;
        try_enqueue(ring, _pid * ITEMS + ITEMS - left + 1);
        if
        :: won -> left--; won = false
        :: !won && ring < RINGS - 1 -> extend(ring)
        /* The model's last ring stands for one that is large enough: wait for room. */
        :: !won && ring == RINGS - 1
        fi;
        ring = 0
    od;
    producing--
}

active [CONSUMERS] proctype Consumer() {
    byte ring, at, count, last[PRODUCERS];
    bool got, isLast, isEmpty;
    started;
    do
    :: true ->
        atomic { isLast = producing == 0; ring = firstRing };
        try_dequeue_from(ring);
        if
        :: got ->
            got = false;
#ifdef SLEEP
            /* An item may never end: then the other consumers must have been woken for all others. */
            if
            :: atomic { mayStick -> mayStick = false };
end_stuck:
                false
            :: true
            fi
#endif
        :: else ->
            if
#ifdef PAST_WHAT_IS_BEING_WRITTEN
            :: linked[ring] ->
#else
            :: linked[ring] && tail[ring] == head[ring] ->
#endif
                d_step {
                    if
                    :: firstRing == ring -> firstRing = ring + 1
                    :: else
                    fi
                }
            :: else ->
#ifdef SLEEP
                sleep()
#else
                if
                :: isLast -> break
                :: else
                fi
#endif
            fi
        fi;
        ring = 0
    od;
    atomic {
        consuming--;
        assert(consuming != 0 || takenCount == ALL)
    }
}

#ifdef TRIM
/* SharedQueue.Trim, by a worker without work: a ring that only looked empty may be closed with items in it. */
active proctype Trimmer() {
    byte ring, at;
    bool isEmpty;
    started;
    ring = lastRing;
    is_ring_empty(ring);
    if
    :: isEmpty && ring < RINGS - 1 -> extend(ring)
    :: else
    fi
}
#endif

/* A free slot has the position that it will next be filled for. */
active proctype Constructor() {
    byte i;
    d_step {
        do
        :: i < RINGS * CAPACITY -> sequence[i] = i % CAPACITY; i++
        :: else -> break
        od;
        i = 0;
        started = true
    }
}

#ifdef SLEEP
active proctype Quiet() {
    timeout;
    assert(producing == 0);
    assert(takenCount == ALL)
}
#endif
