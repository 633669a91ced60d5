using NumaSharp.Core;
using NumaSharp.Core.Affinity;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>One pinned thread of a loop: it holds the baton, is late in a callback, or is parked as a spare.</summary>
internal sealed class LoopThread
{
    [ThreadStatic]
    private static LoopThread? t_current;

    private readonly SemaphoreSlim _go = new(0);
    private readonly Thread _thread;
    private readonly string _name;
    private volatile int _kernelId;
    private volatile bool _isRetired;

    public LoopThread(NumaEventLoop loop, string name)
    {
        Loop = loop;
        _name = name;
        _thread = new Thread(Run) { IsBackground = true, Name = name };
    }

    public static LoopThread? Current => t_current;

    public NumaEventLoop Loop { get; }

    /// <summary>The placement that the thread has followed; touched by the thread alone.</summary>
    public NodePlacement? Placement { get; set; }

    /// <summary>The thread, as the kernel numbers it; set before it first holds the loop.</summary>
    public int KernelId => _kernelId;

    public bool IsCurrent => ReferenceEquals(t_current, this);

    // Starts with the main thread's mask (CoreCLR gives that to every thread it makes) and pins itself before anything else.
    public void Start() => SystemThread.Start(_thread);

    /// <summary>Lets the thread take the baton that was given to it, or see that the loop is stopping.</summary>
    public void Unpark() => _go.Release();

    /// <summary>Ends a thread that is parked, and that nobody will give the loop.</summary>
    public void Retire()
    {
        _isRetired = true;
        _go.Release();
    }

    /// <summary>Has the thread look for a new placement when it is parked; one that is not looks by itself.</summary>
    public void Nudge()
    {
        // Who has a signal to come already looks when it does.
        if (_go.CurrentCount == 0)
        {
            _go.Release();
        }
    }

    /// <summary>Undoes what callbacks have set on the thread. By the thread itself, before it waits.</summary>
    public void Reset() => BorrowedThread.Reset(_thread, _name);

    public bool Join(TimeSpan limit) => IsCurrent || _thread.Join(limit);

    private void Run()
    {
        t_current = this;
        _kernelId = Native.GetThreadId();
        Loop.FollowPlacement(this);
        try
        {
            do
            {
                _go.Wait();
                Loop.FollowPlacement(this);
            }
            while (Loop.RunAsHolder(this) && !_isRetired);
        }
        finally
        {
            NumaMemoryPool.SpillThreadCache();
            t_current = null;
            Loop.OnThreadEnded(this);
        }
    }
}
