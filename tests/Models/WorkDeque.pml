/*
 * src/NumaSharp/Scheduling/WorkDeque.cs: the owner pushes, pops and clears at any time, THIEVES threads steal.
 * README.md beside this file says what stands for what; SC, NO_FENCE and so on are the variants that the test runs.
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef DEPTH
#define DEPTH 6     /* stores that can wait in the owner's buffer: two pushes, or a push and the end of a pop */
#endif

#define TOP_OF_RANGE(i) ((i) % CAPACITY)

mtype = { WORK, STATE, BOTTOM };

/* Memory, as the thieves see it. A slot is two references, written and copied one after the other; 0 is empty. */
byte top, bottom;
byte work[CAPACITY], state[CAPACITY];

/* The owner's store buffer, and what it reads back from there or from memory: only the owner writes slots. */
chan stores = [DEPTH] of { mtype, byte, byte };
byte own[CAPACITY];

bit taken[ITEMS + 1];
byte takenCount, stealing = THIEVES;
bool done;

inline write_through(where, index, value) {
    if
    :: where == WORK -> work[index] = value
    :: where == STATE -> state[index] = value
    :: where == BOTTOM -> bottom = value
    fi
}

#ifdef SC
#define FENCED true
inline store(where, index, value) { d_step { write_through(where, index, value) } }
#else
#define FENCED (empty(stores))
inline store(where, index, value) { stores ! where, index, value }

/*
 * Arm: a plain store may overtake stores to other places, and a release (Volatile.Write) before it. A release, such as that of
 * BOTTOM, overtakes nothing: it leaves the buffer only as the oldest.
 */
#define OVERTAKES(where, index, place) :: d_step { stores ?? where, index, value; place = value; value = 0 }

active proctype Memory() {
    mtype where;
    byte index, value;
end:
    do
    :: d_step {
        stores ? where, index, value;
        write_through(where, index, value);
        where = 0; index = 0; value = 0
    }
#ifdef ARM
    OVERTAKES(WORK, 0, work[0])
    OVERTAKES(STATE, 0, state[0])
    OVERTAKES(WORK, 1, work[1])
    OVERTAKES(STATE, 1, state[1])
#ifdef PLAIN_BOTTOM
    OVERTAKES(BOTTOM, 0, bottom)
#endif
#endif
    od
}
#endif

/* Both halves of one existing item, for the first time. */
inline take(first, second) {
    assert(first != 0 && first == second);
    assert(!taken[first]);
    taken[first] = 1;
    takenCount++
}

inline write_slot(index, value) {
    own[TOP_OF_RANGE(index)] = value;
    store(WORK, TOP_OF_RANGE(index), value);
    store(STATE, TOP_OF_RANGE(index), value)
}

inline try_push() {
    seen = top;
    if
    :: b - seen >= CAPACITY
    :: else ->
        pushed++;
        write_slot(b, pushed);
        b++;
        store(BOTTOM, 0, b)
    fi
}

/* As a thief would, from the other end: b is the index of the last item, if it is still there. */
inline try_pop_last() {
    if
    :: seen == b ->
        atomic {
            FENCED;
            if
            :: top == b ->
                won = true;
                top++;
                take(own[TOP_OF_RANGE(b)], own[TOP_OF_RANGE(b)])
            :: else
            fi
        };
        if
        :: won -> write_slot(b, 0)
        :: else
        fi
    :: else
    fi;
    b++
}

inline try_pop() {
    won = false;
    seen = top;
    if
    :: b == 0
    :: b > 0 && seen >= b - 1 ->
        b--;
        try_pop_last()
    :: b > 0 && seen < b - 1 ->
        b--;
#ifdef NO_FENCE
        store(BOTTOM, 0, b);
#else
        atomic { FENCED -> bottom = b };
#endif
        seen = top;
        if
        :: seen < b ->
            won = true;
            d_step { take(own[TOP_OF_RANGE(b)], own[TOP_OF_RANGE(b)]) };
            write_slot(b, 0)
        :: else ->
            store(BOTTOM, 0, b + 1);
            try_pop_last()
        fi
    fi;
    seen = 0
}

inline clear_stolen() {
    seen = top;
    index = (seen > CAPACITY -> seen - CAPACITY : 0);
    index = (cleared > index -> cleared : index);
    do
    :: index < seen ->
        write_slot(index, 0);
        index++
    :: else -> break
    od;
    cleared = seen;
    seen = 0;
    index = 0
}

/* TrySteal by the owner itself, which now and then runs its oldest item. It clears that slot like a thief's. */
inline try_take_oldest() {
    seen = top;
    FENCED;
    if
    :: seen >= b
    :: else ->
#ifdef OLDEST_WITHOUT_CLAIM
        d_step { top = seen + 1; take(own[TOP_OF_RANGE(seen)], own[TOP_OF_RANGE(seen)]) }
#else
        atomic {
            FENCED;
            if
            :: top == seen -> top++; take(own[TOP_OF_RANGE(seen)], own[TOP_OF_RANGE(seen)])
            :: else
            fi
        }
#endif
    fi;
    seen = 0
}

active proctype Owner() {
    byte b, pushed, cleared, seen, index;
    bool won;
    do
    :: pushed < ITEMS -> try_push()
    :: try_pop()
#ifdef FAIR
    :: try_take_oldest()
#endif
    /* Before it sleeps, with nothing left that it could pop. */
    :: atomic { b <= top -> skip }; clear_stolen()
    :: pushed == ITEMS -> break
    od;
    do
    :: try_pop();
        if
        :: !won -> break
        :: else
        fi
    od;
    done = true;
    stealing == 0;
    assert(takenCount == ITEMS)
}


active [THIEVES] proctype Thief() {
    byte seen, end, first, second;
    bool claimed;
    do
    :: done -> break
    :: else ->
#ifdef BOTTOM_BEFORE_TOP
        end = bottom;
        seen = top;
#else
        seen = top;
        end = bottom;
#endif
        if
        :: seen >= end
        :: else ->
#ifdef CLAIM_BEFORE_COPY
            atomic {
                if
                :: top == seen -> top++; claimed = true
                :: else
                fi
            };
            if
            :: claimed ->
                first = work[TOP_OF_RANGE(seen)];
                second = state[TOP_OF_RANGE(seen)];
                d_step { take(first, second) }
            :: else
            fi
#else
#ifdef ARM
            /* Between an acquire and an interlocked operation, plain reads are in any order. */
            if
            :: first = work[TOP_OF_RANGE(seen)]; second = state[TOP_OF_RANGE(seen)]
            :: second = state[TOP_OF_RANGE(seen)]; first = work[TOP_OF_RANGE(seen)]
            fi;
#else
            first = work[TOP_OF_RANGE(seen)];
            second = state[TOP_OF_RANGE(seen)];
#endif
            d_step {
                if
                :: top == seen ->
                    top++;
                    claimed = true;
                    take(first, second)
                :: else
                fi
            };
#ifdef THIEF_CLEARS
            d_step {
                if
                :: claimed ->
                    work[TOP_OF_RANGE(seen)] = 0;
                    state[TOP_OF_RANGE(seen)] = 0;
                    if
                    :: FENCED -> own[TOP_OF_RANGE(seen)] = 0
                    :: else
                    fi
                :: else
                fi
            }
#endif
#endif
        fi;
        d_step { seen = 0; end = 0; first = 0; second = 0; claimed = false }
    od;
    stealing--
}
