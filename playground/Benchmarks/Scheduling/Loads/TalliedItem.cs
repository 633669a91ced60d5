namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>An item that does nothing but be counted; it may be queued many times at once.</summary>
internal sealed class TalliedItem(TallyBoard board) : IThreadPoolWorkItem
{
    public void Execute() => board.Add();
}
