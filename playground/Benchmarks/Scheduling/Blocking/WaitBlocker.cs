namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>Task.Wait.</summary>
internal sealed class WaitBlocker : IBlocker
{
    private readonly TaskCompletionSource _source = new();

    public void Block() => _source.Task.Wait();

    public void Release() => _source.SetResult();
}
