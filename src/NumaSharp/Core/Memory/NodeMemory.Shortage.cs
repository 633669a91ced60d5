namespace NumaSharp.Core.Memory;

/// <content>That the system has no memory is told to who asks, by an exception, and to operators.</content>
internal sealed partial class NodeMemory
{
    private const string ShortageFeature = "memory.shortage";

    // Who asks for more asks for himself; this much everybody needs.
    private const long LargestOrdinary = 1 << 20;

    private readonly Lock _telling = new();
    private volatile bool _isShort;

    private void BeginShortage(string message)
    {
        var fallback = new NumaFallback(ShortageFeature, message, NodeId);
        lock (_telling)
        {
            if (_isShort)
            {
                _fallbacks.Report(fallback);
            }
            else
            {
                _isShort = true;
                _fallbacks.Claim(fallback);
            }
        }
    }

    // Memory has been had since.
    private void EndShortage()
    {
        if (!_isShort)
        {
            return;
        }

        lock (_telling)
        {
            if (_isShort)
            {
                _isShort = false;
                _fallbacks.Disclaim(ShortageFeature, NodeId);
            }
        }
    }
}
