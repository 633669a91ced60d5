namespace NumaSharp.Core;

/// <summary>
/// Collects fallbacks, so that each is announced once (log, health check, page) and counted every time (meter).
/// Thread-safe.
/// </summary>
public sealed class NumaFallbacks
{
    // Entered even by a thread that is interrupted: reports are made in the middle of work that must complete.
    private readonly Lock _lock = new();
    private readonly Dictionary<Key, NumaFallback> _seen = [];
    private readonly Dictionary<Key, int> _claims = [];
    private NumaFallback[] _current = [];
    private long _count;

    /// <summary>
    /// Raised for the first fallback of a feature and node; of <c>transport.*</c> for each end point and once for all outgoing
    /// connections; of <c>udp.*</c> for each bound socket and once for all connected sockets of a factory; of
    /// <c>memory.abandoned</c> for each pool; of <c>scheduler.worker</c> for each last-level cache that has workers of its own.
    /// Handlers run soon after the report, one at a time, in the order of the reports, on a thread of the library that does
    /// nothing else: they may block, and use pools, allocators, schedulers and transports. Their exceptions go to
    /// <see cref="System.Diagnostics.Trace"/>. While one does not return, up to 4,096 notifications are queued; later ones are
    /// dropped, and <see cref="Current"/> still has them.
    /// </summary>
    public event EventHandler<NumaFallback>? Reported;

    /// <summary>
    /// Raised for each fallback that leaves <see cref="Current"/>, as <see cref="Reported"/> is.
    /// </summary>
    public event EventHandler<NumaFallback>? Withdrawn;

    /// <summary>How often anything fell back, repeats included.</summary>
    public long ReportCount => Volatile.Read(ref _count);

    /// <summary>The distinct fallbacks in force, oldest first. A snapshot.</summary>
    public IReadOnlyList<NumaFallback> Current => Volatile.Read(ref _current);

    /// <summary>Counts the fallback, and announces it when it is the first of its feature and node.</summary>
    /// <param name="fallback">What fell back.</param>
    public void Report(NumaFallback fallback)
    {
        ArgumentNullException.ThrowIfNull(fallback);
        Report(fallback, subject: null);
    }

    /// <summary>
    /// Withdraws the fallbacks of a feature, because they no longer hold, and announces that. Counts are kept.
    /// </summary>
    /// <param name="feature">The feature; a later report of it is announced again.</param>
    public void Withdraw(string feature)
    {
        ArgumentException.ThrowIfNullOrEmpty(feature);
        using (UninterruptedLock.Enter(_lock))
        {
            Remove(key => key.Feature == feature);
        }
    }

    /// <summary>
    /// Reports a fallback that holds until the result is disposed. It leaves <see cref="Current"/> when the last holder of the
    /// same feature and node ends; <see cref="Withdraw"/> does not wait for them.
    /// </summary>
    /// <param name="fallback">What fell back.</param>
    /// <returns>Ends it for this holder when disposed, once; from any thread.</returns>
    public IDisposable Hold(NumaFallback fallback)
    {
        ArgumentNullException.ThrowIfNull(fallback);
        Claim(fallback);
        return new Holder(this, fallback);
    }

    /// <summary>Reports for one of several owners of the same fallback; each claims it once.</summary>
    /// <param name="fallback">What fell back.</param>
    /// <param name="subject">
    /// What it concerns besides the node, for example a socket. Each subject's fallback is announced and withdrawn separately.
    /// </param>
    internal void Claim(NumaFallback fallback, object? subject = null)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            var key = new Key(fallback.Feature, fallback.NodeId, subject);
            _claims[key] = _claims.GetValueOrDefault(key) + 1;
            Report(fallback, subject);
        }
    }

    /// <summary>Counts a fallback once more for an owner that has claimed it.</summary>
    internal void Report(NumaFallback fallback, object? subject)
    {
        Interlocked.Increment(ref _count);
        using (UninterruptedLock.Enter(_lock))
        {
            if (!_seen.TryAdd(new Key(fallback.Feature, fallback.NodeId, subject), fallback))
            {
                return;
            }

            Volatile.Write(ref _current, [.. _current, fallback]);

            // With the lock held, so that announcements are in the order of the changes.
            Announce(Reported, fallback);
        }
    }

    /// <summary>Counts a fallback that is already over: announced if it is new, but not in <see cref="Current"/>.</summary>
    /// <param name="fallback">What fell back.</param>
    /// <param name="isNew">Whether the caller has not reported it before.</param>
    internal void Note(NumaFallback fallback, bool isNew)
    {
        Interlocked.Increment(ref _count);
        if (isNew)
        {
            using (UninterruptedLock.Enter(_lock))
            {
                Announce(Reported, fallback);
            }
        }
    }

    /// <summary>Ends one owner's claim; the fallback is withdrawn when the last claim ends.</summary>
    internal void Disclaim(string feature, NumaNodeId? nodeId, object? subject = null)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            var ended = new Key(feature, nodeId, subject);
            var left = _claims[ended] - 1;
            if (left > 0)
            {
                _claims[ended] = left;
                return;
            }

            _claims.Remove(ended);
            Remove(key => key == ended);
        }
    }

    // Called with the lock held.
    private void Remove(Predicate<Key> isOver)
    {
        // By reference: fallbacks of two subjects may be equal.
        var over = new HashSet<NumaFallback>(ReferenceEqualityComparer.Instance);
        foreach (var (key, fallback) in _seen)
        {
            if (isOver(key) && _seen.Remove(key))
            {
                over.Add(fallback);
            }
        }

        // Removed before the announcement, so that handlers find it gone.
        var before = _current;
        Volatile.Write(ref _current, Array.FindAll(before, fallback => !over.Contains(fallback)));
        foreach (var fallback in Array.FindAll(before, over.Contains))
        {
            Announce(Withdrawn, fallback);
        }
    }

    private void Announce(EventHandler<NumaFallback>? handlers, NumaFallback fallback)
    {
        foreach (var handler in Delegate.EnumerateInvocationList(handlers))
        {
            Interruption.Outlast(() => Outbox.Instance.Post(() => handler(this, fallback)));
        }
    }

    private sealed class Holder(NumaFallbacks fallbacks, NumaFallback fallback) : IDisposable
    {
        private bool _hasEnded;

        public void Dispose()
        {
            if (!Interlocked.Exchange(ref _hasEnded, true))
            {
                fallbacks.Disclaim(fallback.Feature, fallback.NodeId);
            }
        }
    }

    private readonly record struct Key(string Feature, NumaNodeId? NodeId, object? Subject);
}

/// <summary>A request that could not be met, and what is done instead.</summary>
public sealed record NumaFallback
{
    /// <summary>Takes the value of each property, and the remedy of a feature of NumaSharp.</summary>
    /// <param name="feature"><see cref="Feature"/></param>
    /// <param name="message"><see cref="Message"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    public NumaFallback(string feature, string message, NumaNodeId? nodeId = null)
    {
        Feature = feature;
        Message = message;
        NodeId = nodeId;
        Remedy = FallbackCatalog.Find(feature)?.Remedy;
    }

    internal NumaFallback(FallbackKind kind, string message, NumaNodeId? nodeId = null)
    {
        Feature = kind.Id;
        Message = message;
        NodeId = nodeId;
        Remedy = kind.Remedy;
    }

    /// <summary>
    /// Stable: the component that reports it, a dot, a word. NumaSharp's are <c>memory.bind</c>, <c>affinity.pin</c> and the
    /// others of docs/reference/diagnostics.md; a plugin's begin with its own name.
    /// </summary>
    public string Feature { get; init; }

    /// <summary>For a person, in one line: what failed, why, and what happens instead.</summary>
    public string Message { get; init; }

    /// <summary>The node it concerns, if it is one.</summary>
    public NumaNodeId? NodeId { get; init; }

    /// <summary>For a person, in one line: what to do about it; <see langword="null"/> if nothing is known.</summary>
    public string? Remedy { get; init; }

    /// <summary>The message and the remedy.</summary>
    internal string Text => Remedy is null ? Message : $"{Sentence} {Remedy}";

    /// <summary>The message, which may end with the text of an exception, as a sentence that others can follow.</summary>
    internal string Sentence => Message.EndsWith('.') ? Message : $"{Message}.";

    /// <summary>Feature, message and remedy.</summary>
    /// <returns>A line for a person.</returns>
    public override string ToString() => $"{Feature}: {Text}";
}
