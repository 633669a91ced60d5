using NumaSharp.EventLoop;

namespace NumaSharp.TestKit;

/// <summary>
/// Tells the watchdog which thread keeps its loop: the one that a test names, and no other one, however long the machine makes it
/// wait for a CPU or for the compiler. So a loop is handed over when a test says so, and never otherwise.
/// </summary>
public sealed class LateThread
{
    private int _threadId;

    public void Configure(NumaEventLoopGroupOptions loops)
    {
        ArgumentNullException.ThrowIfNull(loops);
        loops.Progress = new Progress(this);
    }

    /// <summary>From now on the calling thread is late, which holds the loop: another thread takes the loop over soon.</summary>
    public void IsCaller(NumaEventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        Assert.True(loop.IsHeldByCurrentThread);
        Volatile.Write(ref _threadId, loop.HolderKernelId);
    }

    /// <summary>Keeps the loop, which the calling thread holds, until another thread has taken it over.</summary>
    public void LoseLoop(NumaEventLoop loop)
    {
        IsCaller(loop);
        var me = Volatile.Read(ref _threadId);
        Wait.Until(() => !loop.IsHeldByCurrentThread);

        // The next thread may be in here already.
        Interlocked.CompareExchange(ref _threadId, 0, me);
    }

    private sealed class Progress(LateThread late) : ThreadProgress
    {
        public override TimeSpan? Begin(int threadId) => TimeSpan.Zero;

        public override bool IsLate(int threadId, TimeSpan? begun) => threadId == Volatile.Read(ref late._threadId);
    }
}
