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

    /// <summary>The kernel id of the thread (gettid(2)); set before it first holds the loop.</summary>
    public int KernelId => _kernelId;

    public bool IsCurrent => ReferenceEquals(t_current, this);

    // Starts with the main thread's mask (CoreCLR gives it to every thread it creates) and pins itself before anything else.
    public void Start() => SystemThread.Start(_thread);

    /// <summary>Lets the thread take the baton that was given to it, or see that the loop is stopping.</summary>
    public void Unpark() => _go.Release();

    /// <summary>Ends a parked thread that will not be given the loop.</summary>
    public void Retire()
    {
        _isRetired = true;
        _go.Release();
    }

    /// <summary>Makes a parked thread check for a new placement; a running one checks by itself.</summary>
    public void Nudge()
    {
        // A signal that is already pending makes it check.
        if (_go.CurrentCount == 0)
        {
            _go.Release();
        }
    }

    /// <summary>Undoes what callbacks changed on the thread. Called by the thread itself, before it waits.</summary>
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
