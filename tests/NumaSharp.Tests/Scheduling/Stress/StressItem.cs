namespace NumaSharp.Tests.Scheduling.Stress;

/// <summary>One of a batch's items, run once in each of its rounds.</summary>
internal sealed class StressItem(StressBatch batch, int number) : IThreadPoolWorkItem
{
    private static readonly ManualResetEventSlim s_never = new(false);

    private int _ran;

    public int Number => number;

    /// <summary>How often it has run, in all rounds.</summary>
    public int Ran => Volatile.Read(ref _ran);

    public void Execute()
    {
        if (batch.IsFirst(number))
        {
            batch.QueueRestOf(number);
        }

        if (batch.BlocksAt(number))
        {
            s_never.Wait(1);
        }

        batch.Count(this, Interlocked.Increment(ref _ran));
    }

    /// <summary>It was not accepted in this round.</summary>
    public void Skip() => Interlocked.Increment(ref _ran);
}
