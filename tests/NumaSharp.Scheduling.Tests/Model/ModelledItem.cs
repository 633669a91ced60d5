using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Model;

/// <param name="node">The position of the node whose worker must run it; -1 for any.</param>
internal sealed class ModelledItem(int node = -1) : IThreadPoolWorkItem
{
    private static readonly ManualResetEventSlim s_never = new(false);

    private int _ran;
    private int _wasElsewhere;

    public int Expected { get; set; } = 1;

    public int Ran => Volatile.Read(ref _ran);

    public bool WasInPlace => Volatile.Read(ref _wasElsewhere) == 0;

    public void Execute()
    {
        if (node != -1 && NumaTaskScheduler.CurrentNodeIndex != node)
        {
            Volatile.Write(ref _wasElsewhere, 1);
        }

        Interlocked.Increment(ref _ran);
    }

    public InvalidOperationException ExecuteAndFail()
    {
        Execute();
        return new InvalidOperationException("It was asked to fail.");
    }

    public void Block()
    {
        s_never.Wait(5);
        Execute();
    }
}
