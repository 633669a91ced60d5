using System.Net.Sockets;
using NumaSharp.EventLoop;

namespace NumaSharp.ThreadProbe;

/// <summary>Runs on a pinned worker, and makes the runtime and the library start threads of every kind.</summary>
internal sealed class Spawner(NumaEventLoopGroup loops) : IDisposable
{
    private readonly TaskCompletionSource _end = new();
    private readonly ManualResetEvent _never = new(false);
    private readonly ManualResetEvent _listed = new(false);
    private readonly UdpClient _socket = new(0, AddressFamily.InterNetwork);
    private Exception? _failure;
    private string[] _threads = [];

    /// <summary>
    /// The threads, after <see cref="Run"/> has made them. No wait here has a limit: the test that runs this program has one.
    /// </summary>
    public string[] WaitForThreads()
    {
        _listed.WaitOne();
        return _failure is null ? _threads : throw new InvalidOperationException(_failure.Message, _failure);
    }

    public void Run()
    {
        try
        {
            StartAll();
            _threads = ThreadLine.All();
        }
        catch (Exception e)
        {
            _failure = e;
        }
        finally
        {
            _end.SetResult();
            _listed.Set();
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _never.Dispose();
        _listed.Dispose();
    }

    private void StartAll()
    {
        _ = loops.Loops;
        using var ran = new ManualResetEvent(false);
        ThreadPool.UnsafeQueueUserWorkItem(static item => item.Set(), ran, preferLocal: false);
        ran.WaitOne();
        using var ticked = new ManualResetEvent(false);
        using var timer = new Timer(_ => ticked.Set(), state: null, dueTime: 1, period: Timeout.Infinite);
        ticked.WaitOne();
        _ = ThreadPool.RegisterWaitForSingleObject(
            _never, static (_, _) => { }, state: null, Timeout.Infinite, executeOnlyOnce: true);
        _ = _socket.ReceiveAsync();
        _ = Task.Factory.StartNew(
            () => _end.Task.Wait(), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        BlockPool();
    }

    // More items that wait than the pool has threads at first: it has to start others.
    private void BlockPool()
    {
        ThreadPool.GetMinThreads(out var atFirst, out _);
        using var blocked = new CountdownEvent(atFirst + 4);
        for (var i = 0; i < blocked.InitialCount; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                countdown =>
                {
                    countdown.Signal();
                    _end.Task.Wait();
                },
                blocked,
                preferLocal: false);
        }

        blocked.Wait();
    }
}
