/* Worker.cs and Worker.Search.cs. Spinning is left out: it is a longer search. */

inline stop_searching() {
    if
    :: isSearching -> isSearching = false; end_search(mine)
    :: else
    fi
}

#ifdef BATCH
/*
 * WorkBatch.Fill: what a worker takes at once besides the item that it runs; deque has that, too. For a moment it is in neither
 * place. After it Announce, which sets found.
 */
inline fill_batch() {
    atomic { FENCED; hasMore = queue[mine] != 0; queue[mine] = queue[mine] - hasMore };
    if
    :: hasMore ->
        atomic { FENCED; deque[me]++; hasMore = false };
#ifndef NO_NOTIFY_AFTER_BATCH
        announce(mine);
        found = true
#endif
    :: else
    fi
}
#endif

#if defined(BATCH) && defined(SIBLINGS)
/* TryStealFromSibling: without Announce, because the end of the search looks after the batch. */
inline fill_batch_from_sibling(g) {
    atomic { FENCED; hasMore = queue[g] != 0; queue[g] = queue[g] - hasMore };
    if
    :: hasMore -> atomic { FENCED; deque[me]++; hasMore = false }
    :: else
    fi
}
#endif

/* Sets found. Leaves the worker searching if there is nothing. */
inline find() {
#ifdef DEQUES
    take_from(deque[me]);
#endif
#ifdef HELD_UP
    /* TryTakeHeldUp: the mark may be there or not. */
    if
    :: !found ->
        v = mine;
        do
        :: !found && v < WORKERS -> atomic { take_from(deque[v]); v = v + GROUPS }
        :: else -> break
        od;
        v = 0
    :: true
    fi;
#endif
    if
    :: !found ->
        take_from(queue[mine]);
#ifdef BATCH
        if
        :: found -> fill_batch()
        :: else
        fi
#endif
    :: else
    fi;
    if
    :: !found && !isSearching -> atomic { FENCED; isSearching = true; searching[mine]++ }
    :: else
    fi;
#ifdef DEQUES
    v = mine;
    do
    :: !found && v < WORKERS -> atomic { take_from(deque[v]); v = v + GROUPS }
    :: else -> break
    od;
    v = 0;
#endif
#ifdef STEAL
    n = 0;
    do
    :: !found && n < GROUPS ->
        if
        :: n != mine -> is_worth_stealing(n, mine)
        :: else
        fi;
        if
        :: found ->
            take_any(n);
#if defined(BATCH) && defined(SIBLINGS)
            if
            :: found && ARE_SIBLINGS(n, mine) -> fill_batch_from_sibling(n)
            :: else
            fi;
#endif
            DECLINES(declined[n] = declined[n] && !found)
        :: else
        fi;
        n++
    :: else -> break
    od;
    n = 0
#endif
}

inline queue_one(where) { d_step { spawns--; accepted++; buffer[me] = where } }

/* An item does nothing, or queues another one, or never ends. */
inline execute() {
    if
#if SPAWNS > 0
    :: spawns != 0 -> queue_one(1 + GROUPS + me); announce(mine)
#if GROUPS > 1
    :: spawns != 0 -> queue_one(1 + (mine + 1) % GROUPS); announce((mine + 1) % GROUPS)
#endif
#endif
    :: blocks != 0 ->
        d_step { blocks--; stuck[me] = true };
end_stuck:
        false
    :: true
    fi;
    running--
}

/*
 * OfferCpu. Whether it yields follows from hints and the clock; during the yield the other threads may do any number of steps.
 * Both checks leave the signal to the wait. The second one only affects when the same worker yields again.
 */
inline offer_cpu() {
    if
    :: signal[me]
    :: !signal[me] ->
        if
        :: true
        :: true ->
            if
#ifdef YIELD_TAKES_SIGNAL
            :: d_step { signal[me] -> signal[me] = false }
#else
            :: signal[me]
#endif
            :: !signal[me]
            fi
        fi
    fi
}

inline sleep() {
    watch_neighbours();
    notice_idle();
#ifndef ANNOUNCED_AFTER_YIELD
    offer_cpu();
#endif
#ifdef FEWER
    limited[me] = IS_SPARE(me);
#endif
    if
    :: asleep[me] = true;
end_asleep:
        d_step { signal[me] -> signal[me] = false; asleep[me] = false }
    /* A spare's time may be up or not: nothing may rely on its waking up by itself. */
    :: IS_SPARE(me) && expiries != 0 ->
        expiries--;
        if
        :: d_step { signal[me] -> signal[me] = false }
#ifdef EXPIRED_KEEPS_ITS_BIT
        :: true -> isExpired = true
#else
        :: true ->
            try_withdraw(me, mine);
            isExpired = found;
            if
            :: !found -> d_step { signal[me] -> signal[me] = false }
            :: else
            fi;
            found = false
#endif
        fi
    fi
}

inline wait_for_work() {
    isSearching = false;
#ifndef ANNOUNCED_AFTER_YIELD
    announce_idle();
#endif
#ifndef NO_LOOK_BEFORE_SLEEP
#if PLACES > 0 && !defined(NO_LOOK_AT_PLACEMENT)
    found = placed[me] != placement[mine];
#endif
    if
    :: !found -> has_work(mine)
    :: else
    fi;
#endif
#ifdef SHOWN_AFTER_LOOK
    show_idle();
#endif
#ifdef ANNOUNCED_AFTER_YIELD
    if
    :: found
    :: else -> offer_cpu(); announce_idle()
    fi;
#else
    if
    :: found -> try_withdraw(me, mine)
    :: else
    fi;
#endif
#ifdef WITHDRAWN_SLEEPS
    found = false;
#endif
    if
    :: !found -> sleep()
    :: else -> found = false
    fi;
    isSearching = true
}

/* Items left in the deque go to the group's queue. */
inline retire() {
#if defined(DEQUES) && !defined(RETIRES_WITH_ITEMS)
    do
    :: atomic { deque[me] == 0 -> break }
    :: atomic { FENCED && deque[me] != 0 -> deque[me]--; hasLeft = true };
        buffer[me] = 1 + mine;
        FENCED
    od;
#endif
    assert(!announced[me] && deque[me] == 0);
    gone[me] = true;
    COUNT_CHANGE(mine, parted[mine]++);
    notice_idle();
#if defined(DEQUES) && !defined(NO_LOOK_AFTER_RETIREMENT)
    if
    :: hasLeft -> announce(mine)
    :: else
    fi;
#endif
#ifndef EXPIRED_KEEPS_ITS_SEARCH
    stop_searching()
#endif
}

active [WORKERS] proctype Worker() {
    byte me = _pid - BUFFERS, mine = (_pid - BUFFERS) % GROUPS;
    byte v, h, n, s, look, owed, length, least, expiries = 1;
    bool found, woke, isSearching, isExpired, hasLeft, hasMore;
#ifdef BUSY
    /* The first worker, or all of the first group, run items that never end. */
    if
#if defined(BUSY_GROUP)
    :: mine == 0 -> stuck[me] = true;
#elif defined(BUSY_LAST)
    :: mine == GROUPS - 1 -> stuck[me] = true;
#else
    :: me == 0 -> stuck[0] = true;
#endif
end_busy:
        false
    :: else
    fi;
#endif
#ifdef STARVES_UNSHOWN
    /* The first worker has announced itself, and never gets a CPU to show that on its node. */
    if
    :: me == 0 -> d_step { idle[0]++; isUnshown = (idle[0] == 1 -> 1 : 0) };
end_unshown:
        false
    :: else
    fi;
#endif
#ifdef STARVES
    /* The first worker has been woken, and never gets a CPU. */
    if
    :: me == 0 -> searching[0]++;
end_starved:
        false
    :: else
    fi;
#endif
    do
#ifdef END
    :: phase == STOPPED -> break
    :: phase != STOPPED ->
#else
    :: true ->
#endif
#if PLACES > 0
        placed[me] = placement[mine];
#endif
        find();
        if
        :: found ->
            d_step { found = false; isExpired = false; taken++; running++ };
            stop_searching();
            execute();
#ifdef RETIREMENT
            if
            :: IS_SPARE(me) -> retire(); goto out
            :: true
            fi
#endif
        :: !found && isExpired -> retire(); goto out
        :: !found && !isExpired -> wait_for_work()
        fi
    od;
    do
    :: atomic { deque[me] == 0 -> break }
    :: atomic { FENCED && deque[me] != 0 -> deque[me]--; elsewhere++ }
    od;
out:
    gone[me] = true
}
