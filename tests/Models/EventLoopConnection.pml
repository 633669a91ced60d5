/*
 * One connection whose callbacks lose their loop: src/NumaSharp.Transport.Epoll/Connections (ConnectionEvents, ReceivePipe,
 * SendPipe.Cork), on a loop that may be handed over at any moment. EventLoop.README.md beside this file says what stands for
 * what.
 */
#ifndef ARRIVALS
#define ARRIVALS 2              /* packets of one byte */
#endif
#ifndef BLOCKS
#define BLOCKS 0                /* continuations that never return, in total */
#endif
#ifndef STEALS
#define STEALS 1                /* hand-overs in addition to those that such a continuation causes */
#endif
#ifndef JOURNEYS
#define JOURNEYS 0              /* how often the application continues elsewhere between two reads */
#endif
#define THREADS (1 + BLOCKS + STEALS)
#define ELSEWHERE 253
#define NONE 255

mtype = { IDLE, WAITING };

/* The loop: its holder, whether that is in a callback and can lose it, and whether OnHandedOver is due. */
byte holder, steals = STEALS;
bool inCallback, isLate, queued;
bool stuck[THREADS];

/* The kernel's. */
byte socket;
bool edge, writableEdge;

/* ReceivePipe, and its lock. */
bool locked;
mtype state = IDLE;
bool isReadable, awaitsContinuation;
byte received;

/* SendPipe: a flush that waits for room, one that waits for the end of a callback (and of which thread), or for a post. */
byte cork = NONE;
bool isDeferred, sendIsPosted, unsent, flushIsWaiting = true;

/* The application: the thread that its reader is on, NONE while it waits. */
byte reader = ELSEWHERE, consumed, journeys = JOURNEYS, blocks = BLOCKS;
bool readerIsStuck;

#define HOME(t) (holder == (t))

#ifdef NO_LOCK
#define LOCK skip
#else
#define LOCK atomic { !locked -> locked = true }
#endif
#define UNLOCK locked = false

/* ReceivePipe.Receive: one recv. A short one says that the socket is drained. */
inline receive() {
    if
    :: d_step { socket == 0 -> n = 0 }
    :: d_step { socket != 0 -> n = socket; socket = 0 }
    :: d_step { socket > 1 -> n = 1; socket-- }
    fi;
    /* Later arrivals are an event, which is noted under the lock. */
    if
    :: n != 1 || socket == 0 -> isReadable = false
    :: n == 1 -> isReadable = true
    fi;
    d_step { received = received + n; n = 0 }
}

/* SendPipe.FlushAsync, under its own lock: sends at once, when the callback ends, or with a post that is under way. */
inline flush(t) {
#ifdef BREAK_WITHOUT_LOCK
    if
    :: cork == t && HOME(t) -> d_step { isDeferred = true; unsent = true }
    :: else -> unsent = sendIsPosted
    fi
#else
    if
    :: d_step { cork == t && HOME(t) -> isDeferred = true; unsent = true }
    :: d_step { !(cork == t && HOME(t)) -> unsent = sendIsPosted }
    fi
#endif
}

/* SendPipe.SendDeferred, under its lock. */
inline send_deferred() { d_step { isDeferred = false; sendIsPosted = false; unsent = false } }

/* If the loop has other events at hand (chosen freely), a post does the send. */
inline leave_cork() {
    if
    :: cork == me -> cork = NONE
    :: cork != me
    fi;
    if
    :: isDeferred ->
        if
        :: HOME(me) ->
#ifdef POST_BEFORE_MARK
            queued = true;
            isDeferred = false;
            sendIsPosted = true
#else
            isDeferred = false;
            sendIsPosted = true;
            queued = true
#endif
        :: true -> send_deferred()
        fi
    :: !isDeferred
    fi
}

inline may_block(t) {
    if
    :: blocks != 0 && t < THREADS ->
        d_step { blocks--; stuck[t] = true; readerIsStuck = readerIsStuck || reader == t };
end_stuck:
        false
    :: true
    fi
}

/* ReceivePipe.ReadAsync and what follows it; sets waits if there is nothing to continue with. */
inline read_async(t) {
#ifdef HINT_AS_LOCK
    if
    :: HOME(t) -> skip
    :: else -> LOCK
    fi;
#else
    LOCK;
#endif
    assert(state == IDLE);
    if
    :: isReadable ->
        /* TryUseTurn, at home. */
        if
        :: HOME(t) -> receive()
        :: HOME(t) -> post = HOME(t)
        :: !HOME(t)
        fi
    :: !isReadable
    fi;
    if
    :: received != 0 -> post = false; UNLOCK
    :: received == 0 ->
        awaits = !HOME(t);
        awaitsContinuation = awaits;
        reader = NONE;
        d_step { waits = true; state = WAITING };
        UNLOCK;
#ifndef NO_POST_AT_THE_END_OF_THE_BUDGET
        queued = queued || post;
#endif
        post = false;
        /* OnContinuation: only now may a read that began elsewhere be delivered. */
        if
        :: awaits ->
            LOCK;
            awaitsContinuation = false;
#ifndef NO_POST_AFTER_CONTINUATION
            queued = queued || (state == WAITING && isReadable);
#endif
            UNLOCK;
            awaits = false
        :: else
        fi
    fi
}

/* The application has a result on thread t, and continues until it waits again. */
inline run_reader(t) {
    do
    :: d_step { assert(reader == t); consumed = consumed + received; received = 0 };
        flush(t);
        may_block(t);
        if
        :: journeys != 0 && t != ELSEWHERE -> journeys--; reader = ELSEWHERE; break
        :: true ->
            read_async(t);
            if
            :: waits -> waits = false; break
            :: else
            fi
        fi
    od
}

/* ReceivePipe.OnReadable. */
inline on_readable() {
#ifndef DELIVER_WITHOUT_LOCK
    LOCK;
#endif
    if
    :: state == WAITING && isReadable && !awaitsContinuation ->
        receive();
        if
        :: received != 0 -> d_step { state = IDLE; delivers = true }
        :: else
        fi
    :: else
    fi;
#ifndef DELIVER_WITHOUT_LOCK
    UNLOCK;
#endif
    if
    :: delivers ->
        d_step { delivers = false; assert(reader == NONE); reader = me };
        run_reader(me)
    :: else
    fi
}

inline note_readable() {
    if
    :: isEvent -> LOCK; isReadable = true; UNLOCK
    :: else
    fi
}

/* ConnectionEvents.OnReady. */
inline on_ready() {
#ifndef NO_SEND_IN_POST
    if
    :: isPosted && sendIsPosted -> send_deferred()
    :: else
    fi;
#endif
    cork = me;
#ifndef NOTE_LATE
    note_readable();
#endif
#ifndef NO_POST_OF_ONES_OWN
    queued = queued || !HOME(me);
#endif
    if
    :: isWritable && flushIsWaiting ->
        /* Room again: the writer continues. */
        flushIsWaiting = false;
        flush(me);
        may_block(me)
    :: else
    fi;
#ifdef NOTE_LATE
    note_readable();
#endif
    if
    :: isEvent || isPosted -> on_readable()
    :: else
    fi;
    leave_cork()
}

active [THREADS] proctype LoopThread() {
    byte me = _pid, n;
    bool isEvent, isWritable, isPosted, delivers, waits, post, awaits;
end_parked:
    HOME(me);
    if
    :: isLate ->
        isLate = false;
        cork = NONE;
        send_deferred();
#ifndef NO_POST_ON_HANDED_OVER
        queued = true
#endif
    :: else
    fi;
    do
    :: HOME(me) ->
end_waiting:
        if
        :: d_step {
            edge || writableEdge ->
            isEvent = edge; isWritable = writableEdge; edge = false; writableEdge = false; inCallback = true
        }
        :: d_step { queued -> isPosted = true; queued = false; inCallback = true }
        fi;
        on_ready();
        d_step {
            inCallback = (HOME(me) -> false : inCallback);
            isEvent = false; isWritable = false; isPosted = false
        }
    :: !HOME(me) -> break
    od
}

/* An await that ended elsewhere, such as the first read of a connection. */
active proctype Elsewhere() {
    byte n;
    bool waits, post, awaits;
    do
    :: reader == ELSEWHERE -> run_reader(ELSEWHERE)
    :: timeout -> break
    od
}

active proctype Kernel() {
    byte left = ARRIVALS;
    do
    :: left != 0 -> left--; d_step { socket++; edge = true }
    :: left == 0 -> break
    od
}

active proctype Client() {
    writableEdge = true
}

/* The baton: only a callback loses the loop. */
active proctype Watchdog() {
end:
    do
    :: d_step {
        inCallback && (stuck[holder] || steals != 0) && holder < THREADS - 1 ->
        steals = (stuck[holder] -> steals : steals - 1);
        inCallback = false; isLate = true; holder++
    }
    od
}

active proctype Quiet() {
    timeout;
    d_step {
        assert(!unsent && !isDeferred && !sendIsPosted && !flushIsWaiting && !locked);
        assert(state != WAITING || socket == 0);
        assert(readerIsStuck || consumed == ARRIVALS && reader == NONE)
    }
}
