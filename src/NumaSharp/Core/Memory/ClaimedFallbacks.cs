using System.Collections.Concurrent;

namespace NumaSharp.Core.Memory;

/// <summary>The fallbacks that one owner claims, by their features; they end with it, or one by one before. Thread-safe.</summary>
/// <param name="fallbacks">Where they are claimed; <see langword="null"/> for nowhere.</param>
/// <param name="subject">What they are of; see <see cref="NumaFallbacks.Claim"/>.</param>
internal sealed class ClaimedFallbacks(NumaFallbacks? fallbacks, object subject)
{
    private readonly ConcurrentDictionary<string, ClaimedFallback> _claimed = new(StringComparer.Ordinal);

    /// <summary>It has fallen back, or still does.</summary>
    public void Tell(string feature, string message)
    {
        if (fallbacks is not null)
        {
            _claimed.GetOrAdd(feature, name => new ClaimedFallback(fallbacks, name, nodeId: null, subject)).Tell(message);
        }
    }

    /// <summary>It works, as it may have done all the time.</summary>
    public void End(string feature)
    {
        if (_claimed.TryGetValue(feature, out var claimed))
        {
            claimed.End();
        }
    }

    /// <summary>The owner is no more.</summary>
    public void EndAll()
    {
        foreach (var (_, claimed) in _claimed)
        {
            claimed.End();
        }
    }
}
