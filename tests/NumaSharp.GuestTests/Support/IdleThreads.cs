namespace NumaSharp.GuestTests.Support;

/// <summary>Threads that have nothing to do.</summary>
internal static class IdleThreads
{
    /// <summary>Waits until all threads whose names begin in a certain way are seen asleep five times in a row.</summary>
    public static async Task WaitForAsync(string namePrefix)
    {
        ThreadStatus[] before = [];
        var times = 0;
        await Wait.UntilAsync(
            () =>
            {
                var now = ThreadStatus.OfThisProcess(namePrefix);
                var isAsleep = now.SequenceEqual(before) && Array.TrueForAll(now, static thread => thread.State.StartsWith('S'));
                (before, times) = (now, isAsleep ? times + 1 : 0);
                return times == 5;
            },
            () => $"the threads {namePrefix}* do not sleep");
    }
}
