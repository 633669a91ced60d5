namespace NumaSharp.Core;

/// <summary>
/// A fallback that one owner claims when it begins and disclaims when it ends; reports in between are only counted. Thread-safe.
/// </summary>
/// <param name="fallbacks">Where it is claimed.</param>
/// <param name="kind">What it concerns.</param>
/// <param name="nodeId">The node, if it concerns one.</param>
/// <param name="subject">What else it concerns; see <see cref="NumaFallbacks.Claim"/>.</param>
internal sealed class ClaimedFallback(NumaFallbacks fallbacks, FallbackKind kind, NumaNodeId? nodeId, object? subject = null)
{
    // Serialized, so that the last report is the one in force. Handlers of reports run later.
    private readonly Lock _reporting = new();
    private volatile bool _isClaimed;

    /// <summary>Reports that the feature has fallen back, or still does, for another reason.</summary>
    public void Report(string message)
    {
        var fallback = new NumaFallback(kind, message, nodeId);
        using (UninterruptedLock.Enter(_reporting))
        {
            if (_isClaimed)
            {
                fallbacks.Report(fallback, subject);
            }
            else
            {
                fallbacks.Claim(fallback, subject);
                _isClaimed = true;
            }
        }
    }

    /// <summary>Reports that the feature works. Takes no lock if nothing was claimed.</summary>
    public void End()
    {
        if (!_isClaimed)
        {
            return;
        }

        using (UninterruptedLock.Enter(_reporting))
        {
            if (_isClaimed)
            {
                fallbacks.Disclaim(kind.Id, nodeId, subject);
                _isClaimed = false;
            }
        }
    }
}
