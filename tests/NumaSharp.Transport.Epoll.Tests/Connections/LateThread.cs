using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>
/// Tells the watchdog which thread keeps its loop: the one that a test names, and no other one, however long the machine makes it
/// wait for a CPU or for the compiler. So a loop is handed over when a test says so, and never otherwise.
/// </summary>
internal sealed class LateThread : ThreadProgress
{
    private int _threadId;

    /// <summary>Options of an adaptive transport whose watchdog asks this.</summary>
    public EpollTransportOptions Options => new() { Dispatch = EpollDispatchMode.Adaptive, ConfigureLoops = Configure };

    public void Configure(NumaEventLoopGroupOptions loops) => loops.Progress = this;

    /// <summary>From now on the calling thread is late, which holds the loop: another thread takes the loop over soon.</summary>
    public void IsCaller(NumaEventLoop loop)
    {
        Assert.True(loop.IsHeldByCurrentThread);
        Volatile.Write(ref _threadId, loop.HolderKernelId);
    }

    /// <summary>Keeps the loop, which the calling thread holds, until another thread has taken it over.</summary>
    public void LoseLoop(NumaEventLoop loop)
    {
        IsCaller(loop);
        Wait.Until(() => !loop.IsHeldByCurrentThread);
        Volatile.Write(ref _threadId, 0);
    }

    public override TimeSpan? Begin(int threadId) => TimeSpan.Zero;

    public override bool IsLate(int threadId, TimeSpan? begun) => threadId == Volatile.Read(ref _threadId);
}
