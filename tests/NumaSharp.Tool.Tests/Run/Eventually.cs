namespace NumaSharp.Tool.Tests.Run;

/// <summary>Waits for what other processes do.</summary>
internal static class Eventually
{
    public static async Task TrueAsync(Func<bool> condition)
    {
        using var patience = new CancellationTokenSource(NodeRun.Patience);
        while (!condition())
        {
            await Task.Delay(10, patience.Token);
        }
    }
}
