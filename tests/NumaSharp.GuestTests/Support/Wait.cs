using System.Diagnostics;

namespace NumaSharp.GuestTests.Support;

/// <summary>Waits for what other threads do; how long that takes is nobody's business here.</summary>
internal static class Wait
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    public static async Task UntilAsync(Func<bool> condition, Func<string> what)
    {
        var start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < s_patience, $"Waited in vain for {what()}");
            await Task.Delay(20);
        }
    }
}
