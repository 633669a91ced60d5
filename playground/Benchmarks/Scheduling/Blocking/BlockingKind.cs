namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>A way for an item to occupy its worker until it is released.</summary>
/// <param name="Name">Its name in the row.</param>
/// <param name="Create">What blocks, and how it is released.</param>
internal sealed record BlockingKind(string Name, Func<IBlocker> Create)
{
    public static IReadOnlyList<BlockingKind> All { get; } =
    [
        new("Sleep", static () => new SleepBlocker()),
        new("Task.Wait", static () => new WaitBlocker()),
        new("lock", static () => new LockBlocker()),
        new("read", static () => new ReadBlocker()),
        new("CPU", static () => new CpuBlocker()),
    ];
}
