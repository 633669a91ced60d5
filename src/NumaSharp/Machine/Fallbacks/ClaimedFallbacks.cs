using System.Collections.Concurrent;

namespace NumaSharp.Core;

/// <summary>The fallbacks of one owner, by kind. They end one by one, or all with the owner. Thread-safe.</summary>
/// <param name="fallbacks">Where to claim them; <see langword="null"/> for nowhere.</param>
/// <param name="subject">What they concern; see <see cref="NumaFallbacks.Claim"/>.</param>
internal sealed class ClaimedFallbacks(NumaFallbacks? fallbacks, object subject)
{
    private readonly ConcurrentDictionary<string, ClaimedFallback> _claimed = new(StringComparer.Ordinal);
    private volatile bool _isOver;

    /// <summary>Reports that the feature has fallen back, or still does.</summary>
    public void Report(FallbackKind kind, string message)
    {
        if (fallbacks is null || _isOver)
        {
            return;
        }

        var claimed = _claimed.GetOrAdd(kind.Id, _ => new ClaimedFallback(fallbacks, kind, nodeId: null, subject));
        claimed.Report(message);
        if (_isOver)
        {
            // EndAll may have run before the claim.
            claimed.End();
        }
    }

    /// <summary>Reports that the feature works.</summary>
    public void End(FallbackKind kind)
    {
        if (_claimed.TryGetValue(kind.Id, out var claimed))
        {
            claimed.End();
        }
    }

    /// <summary>The owner has ended. Later reports are ignored.</summary>
    public void EndAll()
    {
        _isOver = true;
        foreach (var (_, claimed) in _claimed)
        {
            claimed.End();
        }
    }
}
