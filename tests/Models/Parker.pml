/*
 * FutexParker in src/NumaSharp/Scheduling/Parker.cs: one thread sleeps until SIGNALLERS others have signalled it. Each sets a flag and
 * signals; the sleeper reads the flags between two waits. README.md beside this file says what stands for what.
 */
#ifndef SIGNALLERS
#define SIGNALLERS 3
#endif

mtype = { EMPTY, SIGNALLED, ASLEEP };

mtype word = EMPTY;
bool flag[SIGNALLERS];
bool inKernel;                  /* the thread sleeps in futex(FUTEX_WAIT) */
bool emptying;                  /* the sleeper's store buffer: the word becomes EMPTY */
byte seen;

#ifdef PLAIN_STORE
active proctype Memory() {
end:
    do
    :: d_step { emptying -> word = EMPTY; emptying = false }
    od
}
#endif

inline wait_for_signal() {
    if
    :: atomic { !emptying && word == EMPTY -> word = ASLEEP };
        do
        :: word != ASLEEP -> break
        :: word == ASLEEP ->
            /* The kernel compares once more, and may return for no reason. */
            atomic {
                if
                :: word == ASLEEP -> inKernel = true
                :: else
                fi
            };
end_asleep:
            !inKernel
        /* The limit has passed. */
        :: limits != 0 -> limits--; break
        od;
        word = EMPTY
    :: atomic { !emptying && word != EMPTY };
#ifdef PLAIN_STORE
        emptying = true
#else
        word = EMPTY
#endif
    fi
}

active proctype Sleeper() {
    byte i, limits = 2;
    do
    :: true ->
        d_step { i = 0; seen = 0 };
        do
        :: i < SIGNALLERS -> atomic { seen = seen + flag[i]; i++ }
        :: else -> break
        od;
        if
        :: seen == SIGNALLERS -> break
        :: else -> wait_for_signal()
        fi
    od
}

active [SIGNALLERS] proctype Signaller() {
    mtype before;
    byte me = _pid % SIGNALLERS;
    flag[me] = true;
    atomic { before = word; word = SIGNALLED };
#ifndef NO_WAKE
    if
    :: before == ASLEEP -> inKernel = false
    :: else
    fi
#endif
}

active proctype Quiet() {
    timeout;
    assert(seen == SIGNALLERS)
}
