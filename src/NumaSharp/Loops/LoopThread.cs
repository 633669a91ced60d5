using System.Diagnostics;
using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// A pinned thread of a node's loops. It is in one loop, where it holds the baton or is late in a callback, or it is parked.
/// </summary>
internal sealed class LoopThread
{
    private static readonly object s_ended = new();

    [ThreadStatic]
    private static LoopThread? t_current;

    private readonly SemaphoreSlim _go = new(0);
    private readonly Thread _thread;
    private readonly NodeThreads _node;
    private readonly int _number;
    private string _name;
    private volatile int _kernelId;

    // The loop; null while parked; s_ended: it enters none any more. From parked to either by one exchange.
    private object? _place;

    // What the thread has pinned itself for; used by it alone.
    private NodePlacement? _placement;
    private NumaEventLoop? _pinnedFor;

    public LoopThread(NodeThreads node, NumaEventLoop? loop, int number)
    {
        _node = node;
        _place = loop;
        _number = number;
        _name = NameFor(loop);
        _thread = new Thread(Run) { IsBackground = true, Name = _name };
    }

    public static LoopThread? Current => t_current;

    /// <summary>The loop that the thread is in, even if another thread holds it by now.</summary>
    public NumaEventLoop? Loop => Volatile.Read(ref _place) as NumaEventLoop;

    /// <summary>The kernel id of the thread (gettid(2)); set before it first holds a loop.</summary>
    public int KernelId => _kernelId;

    public bool IsCurrent => ReferenceEquals(t_current, this);

    /// <summary>Whether the thread, the calling one, has followed the latest placement.</summary>
    public bool IsPlaced => ReferenceEquals(_placement, _node.Placement);

    // Starts with the main thread's mask (CoreCLR gives it to every thread it creates) and pins itself before anything else.
    public void Start() => SystemThread.Start(_thread);

    /// <summary>Puts a parked thread into a loop. Only one caller at a time has taken it from the spares.</summary>
    /// <returns>False: it has ended.</returns>
    public bool TryEnter(NumaEventLoop loop) => Interlocked.CompareExchange(ref _place, loop, null) is null;

    /// <summary>Called by the thread itself, or by the caller whose hand-over to it has failed.</summary>
    public void Leave() => Volatile.Write(ref _place, null);

    /// <summary>A parked thread enters no loop any more; it ends when it is unparked.</summary>
    /// <returns>False: it is in a loop, or has ended.</returns>
    public bool TryEnd() => Interlocked.CompareExchange(ref _place, s_ended, null) is null;

    /// <summary>Lets the thread take the baton that was given to it, or see that it must end.</summary>
    public void Unpark() => _go.Release();

    /// <summary>Makes a parked thread check for a new placement; a running one checks by itself.</summary>
    public void Nudge()
    {
        // A signal that is already pending makes it check.
        if (_go.CurrentCount == 0)
        {
            _go.Release();
        }
    }

    /// <summary>
    /// Pins the thread, the calling one, unless it already follows the placement. A parked thread may run on all CPUs of the
    /// node: on that of its last loop it could have to wait for that loop's holder before it can serve another one.
    /// </summary>
    public void FollowPlacement()
    {
        Debug.Assert(IsCurrent, "A thread pins itself.");
        var loop = Loop;
        if (IsPlaced && ReferenceEquals(_pinnedFor, loop))
        {
            return;
        }

        _placement = _node.Placement;
        _pinnedFor = loop;
        if (loop is null)
        {
            _placement.PinSpare();
            return;
        }

        _placement.PinLoop(loop.IndexInNode);
        _name = NameFor(loop);
        Reset();
    }

    /// <summary>Undoes what callbacks changed on the thread. Called by the thread itself, before it waits.</summary>
    public void Reset() => BorrowedThread.Reset(_thread, _name);

    public void Join(TimeSpan limit)
    {
        // One that was not started, or could not be, has nothing to wait for.
        if (!IsCurrent && (_thread.ThreadState & System.Threading.ThreadState.Unstarted) == 0)
        {
            _thread.Join(limit);
        }
    }

    private bool MayEnd => ReferenceEquals(Volatile.Read(ref _place), s_ended) || (_node.IsStopping && TryEnd());

    private void Run()
    {
        t_current = this;
        _kernelId = Native.GetThreadId();
        try
        {
            do
            {
                FollowPlacement();
                _go.Wait();
                FollowPlacement();
                Loop?.RunAsHolder(this);
            }
            while (!MayEnd);
        }
        finally
        {
            NumaMemoryPool.SpillThreadCache();
            t_current = null;
            _node.OnEnded(this);
        }
    }

    private string NameFor(NumaEventLoop? loop) => loop is null
        ? string.Create(CultureInfo.InvariantCulture, $"numa{_node.Placement.Node.NodeId}-spare.{_number}")
        : string.Create(CultureInfo.InvariantCulture, $"numa{loop.NodeId}-loop{loop.Index}.{_number}");
}
