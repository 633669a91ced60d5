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

    /// <summary>Waits until all threads whose names begin in a certain way sleep, and stay asleep for a while.</summary>
    public static async Task UntilAsleepAsync(string namePrefix)
    {
        ThreadStatus[] before = [];
        var times = 0;
        await UntilAsync(
            () =>
            {
                var now = ThreadStatus.OfThisProcess(namePrefix);
                var isAsleep = now.SequenceEqual(before) && Array.TrueForAll(now, static thread => thread.State.StartsWith('S'));
                (before, times) = (now, isAsleep ? times + 1 : 0);
                return times == 5;
            },
            () => $"the threads {namePrefix}* to sleep");
    }
}
