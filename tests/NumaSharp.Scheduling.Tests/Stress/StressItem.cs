namespace NumaSharp.Scheduling.Tests.Stress;

/// <summary>One of a batch's items, run once in each of its rounds.</summary>
internal sealed class StressItem(StressBatch batch, int number) : IThreadPoolWorkItem
{
    /// <summary>As <see cref="Group"/>: any will do.</summary>
    public const int AnyGroup = -1;

    private static readonly ManualResetEventSlim s_never = new(false);

    private int _ran;

    public int Number => number;

    /// <summary>The position of the node whose workers are to run it this time; written before it is queued.</summary>
    public int Group { get; set; } = AnyGroup;

    /// <summary>How often it has run, in all rounds.</summary>
    public int Ran => Volatile.Read(ref _ran);

    public void Execute()
    {
        if (!batch.Enter(this, Interlocked.Increment(ref _ran)))
        {
            return;
        }

        if (batch.IsFirst(number))
        {
            batch.QueueRestOf(number);
        }

        if (batch.BlocksAt(number))
        {
            s_never.Wait(1);
        }

        batch.Leave();
    }

    /// <summary>It was not accepted in this round.</summary>
    public void Skip() => Interlocked.Increment(ref _ran);
}
