using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// One group of loops for several components: it starts with the first of them that has something to watch, and stops after the
/// last, unless it is the application's. Thread-safe.
/// </summary>
internal sealed class SharedLoops
{
    private readonly Lock _lock = new();
    private readonly List<LoopUser> _users = [];
    private readonly NumaEventLoopGroupOptions? _options;
    private readonly NumaEventLoopGroup? _given;
    private TimeSpan _stallThreshold;
    private NumaEventLoopGroup? _group;

    public SharedLoops(NumaEventLoopGroupOptions options)
    {
        _options = options;
        _stallThreshold = options.StallThreshold;
    }

    /// <param name="group">Loops that the application created, and disposes after their users.</param>
    internal SharedLoops(NumaEventLoopGroup group)
    {
        _given = group;
        _stallThreshold = group.StallThreshold;
    }

    /// <summary>The loops of a group that the application passed to several components: one object for all of them.</summary>
    /// <param name="loops">Loops that the application created, and disposes after their users.</param>
    /// <param name="plan">The component's plan.</param>
    /// <exception cref="ArgumentException">The loops are not those of the plan.</exception>
    public static SharedLoops Of(NumaEventLoopGroup loops, NumaPlan plan) =>
        loops.Plan.HasPositionsOf(plan)
            ? loops.Shared
            : throw new ArgumentException(
                $"The loops were created for another plan: {loops.Plan}. The component needs: {plan}.", nameof(loops));

    /// <summary>The group; <see langword="null"/> while there are no users.</summary>
    public NumaEventLoopGroup? Group
    {
        get
        {
            lock (_lock)
            {
                return _group;
            }
        }
    }

    /// <summary>How long a callback may keep its loop; zero without a watchdog.</summary>
    public TimeSpan StallThreshold
    {
        get
        {
            lock (_lock)
            {
                return _given?.StallThreshold ?? _stallThreshold;
            }
        }
    }

    /// <summary>Adds a component; the group's loops run until <see cref="End"/>.</summary>
    /// <param name="user">The component; once more for each use that has not ended.</param>
    /// <param name="plan">The component's plan. Running loops keep theirs until <see cref="Apply"/>.</param>
    /// <exception cref="NumaException">The system gives no epoll instance, eventfd or thread; nothing has changed.</exception>
    public NumaEventLoopGroup Use(LoopUser user, NumaPlan plan)
    {
        lock (_lock)
        {
            var group = _group ?? Create(plan);
            _ = group.Loops;
            group.Reports.Add(user);
            _group = group;
            _users.Add(user);
            return group;
        }
    }

    /// <summary>
    /// Removes a component; the last one stops the loops, and waits for their threads. Its handlers must be unregistered
    /// before: the loops keep running for the other components.
    /// </summary>
    public void End(LoopUser user)
    {
        NumaEventLoopGroup? unused = null;
        lock (_lock)
        {
            if (!_users.Remove(user))
            {
                return;
            }

            if (_users.Count > 0 || _given is not null)
            {
                _group!.Reports.Remove(user);
            }
            else
            {
                unused = _group;
            }

            if (_users.Count == 0)
            {
                _group = null;
            }
        }

        // Outside the lock: its threads may be about to take it.
        unused?.Dispose();
    }

    /// <summary>
    /// Applies a plan that follows the current one. Every component passes on every plan, and the first call applies it. The
    /// current plan, passed on once more to re-pin all threads, is applied by the first user's call.
    /// </summary>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions or loops differ.</exception>
    public void Apply(LoopUser user, NumaPlan plan)
    {
        lock (_lock)
        {
            if ((_given ?? _group) is { } group
                && (!ReferenceEquals(group.Plan, plan) || (_users is [var first, ..] && ReferenceEquals(first, user))))
            {
                group.Apply(plan);
            }
        }
    }

    /// <summary>As <see cref="NumaEventLoopGroup.SetStallThreshold"/>, also for later groups.</summary>
    public void SetStallThreshold(TimeSpan threshold)
    {
        EventLoop.StallThreshold.Check(threshold, nameof(threshold));
        lock (_lock)
        {
            EventLoop.StallThreshold.Change(ref _stallThreshold, threshold);
            (_given ?? _group)?.SetStallThreshold(threshold);
        }
    }

    private NumaEventLoopGroup Create(NumaPlan plan)
    {
        if (_given is not null)
        {
            return _given;
        }

        var group = new NumaEventLoopGroup(plan, _options);
        if (_stallThreshold != group.StallThreshold)
        {
            group.SetStallThreshold(_stallThreshold);
        }

        return group;
    }
}
