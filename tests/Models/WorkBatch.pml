/*
 * src/NumaSharp/Scheduling/WorkBatch.cs: the owner fills it when it is empty, and takes from it as THIEVES threads do.
 * README.md beside this file says what stands for what. Sequentially consistent: the owner's stores to slots come before an
 * interlocked one, and each other store to a slot before the next one to the same slot.
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef ITEMS
#define ITEMS 5
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#define SLOT(at) ((at) % CAPACITY)

/* One word: read and changed together. */
byte first, count;
/* A slot is two references, written and copied one after the other; 0 is empty. */
byte work[CAPACITY], state[CAPACITY];

byte takenCount, stealing = THIEVES;
bool done;

/* Whole, once, and in order. */
inline take(one, other) {
    assert(one == other && one == takenCount + 1);
    takenCount++
}

/* TryTake. Sets found. */
inline try_take() {
    found = false;
    atomic { at = first; seen = count };
    do
    :: seen == 0 -> break
    :: else ->
#ifdef CLAIM_BEFORE_COPY
        atomic {
            if
            :: first == at && count == seen -> first++; count--; found = true
            :: else -> at = first; seen = count
            fi
        };
        if
        :: found ->
            one = work[SLOT(at)];
            other = state[SLOT(at)];
            d_step { take(one, other) };
            break
        :: else
        fi
#else
        one = work[SLOT(at)];
        other = state[SLOT(at)];
        atomic {
            if
            :: first == at && count == seen -> first++; count--; found = true; take(one, other)
            :: else -> at = first; seen = count
            fi
        };
        if
        :: found -> last = at; break
        :: else
        fi
#endif
    od;
    atomic { at = 0; seen = 0; one = 0; other = 0 }
}

active proctype Owner() {
    byte filled, n, at, seen, one, other, last;
    bool found;
    do
    :: count == 0 && filled < ITEMS ->
#ifdef NUMBERS_START_AGAIN
        first = 0;
#endif
        do
        :: n < CAPACITY && filled < ITEMS ->
            filled++;
            work[SLOT(first + n)] = filled;
            state[SLOT(first + n)] = filled;
            n++
        :: n != 0 -> break
        od;
        atomic { count = n; n = 0 }
    /* TryPop. */
    :: try_take();
        if
        :: found -> work[SLOT(last)] = 0; state[SLOT(last)] = 0; last = 0
        :: else
        fi
    /* Clear, before it sleeps. */
    :: count == 0 ->
        do
        :: n < CAPACITY -> work[n] = 0; state[n] = 0; n++
        :: else -> break
        od;
        n = 0
    :: filled == ITEMS && count == 0 -> break
    od;
    done = true;
    stealing == 0;
    assert(takenCount == ITEMS)
}

active [THIEVES] proctype Thief() {
    byte at, seen, one, other, last;
    bool found;
    do
    :: done -> break
    :: else -> try_take(); last = 0
    od;
    stealing--
}
