using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// An epoll loop on the CPUs of one node. Callbacks run on its thread; when one of them blocks it for longer than the stall
/// threshold, another pinned thread takes the loop over (see the README in this folder). Registering and posting are thread-safe.
/// </summary>
[Experimental(NumaDiagnostics.EventLoops)]
public sealed partial class NumaEventLoop
{
    private const int EventsPerWait = 512;

    private readonly NumaEventLoopGroupOptions _options;
    private readonly LoopReports _reports;

    // Serializes registrations with rebuilding the loop, which replaces both.
    private readonly Lock _registrations = new();
    private EpollHandle _epoll;
    private EventFdHandle _doorbell;
    private readonly HandlerTable _handlers = new();

    private readonly ClaimedFallback? _noBusyPoll;

    internal NumaEventLoop(
        NodeThreads threads, int indexInNode, int index, NumaEventLoopGroupOptions options, LoopReports reports)
    {
        _options = options;
        _reports = reports;
        _threads = threads;
        IndexInNode = indexInNode;
        NodeIndex = threads.Placement.Node.NodeIndex;
        NodeId = threads.Placement.Node.NodeId;
        Index = index;
        if (options.Fallbacks is { } fallbacks)
        {
            _noBusyPoll = new ClaimedFallback(fallbacks, FallbackCatalog.LoopBusyPoll, nodeId: null);
        }

        EpollHandle.Create(out var epoll).ThrowIfFailed("epoll_create1");
        _epoll = epoll!;
        try
        {
            AddDoorbell(_epoll, Native.EPOLLIN, out var doorbell).ThrowIfFailed("eventfd");
            _doorbell = doorbell!;
        }
        catch
        {
            _epoll.Dispose();
            throw;
        }

        _events = new EpollEventBuffer(EventsPerWait);
    }

    /// <summary>The loop that the calling thread belongs to, even if the loop has since been handed over.</summary>
    public static NumaEventLoop? Current => LoopThread.Current?.Loop;

    /// <summary>The loop's number in its group, from 0.</summary>
    public int Index { get; }

    /// <summary>The position of the loop's node in the plan.</summary>
    public int NodeIndex { get; }

    /// <summary>The kernel id of the loop's node.</summary>
    public NumaNodeId NodeId { get; }

    /// <summary>The handlers that are registered now.</summary>
    internal IEnumerable<EventLoopHandler> Handlers => _handlers.Snapshot().Select(static it => it.Handler);

    /// <summary>The loop's position among those of its node.</summary>
    internal int IndexInNode { get; }

    /// <summary>How many descriptors are registered.</summary>
    internal int RegistrationCount => _handlers.Count;

    /// <summary>How often the loop was handed over because a callback did not return in time.</summary>
    public long HandOvers => Volatile.Read(ref _handOvers);

    /// <summary>How many threads are in the loop: the holder and late ones. Spares belong to the node.</summary>
    public int ThreadCount => Volatile.Read(ref _threadCount);

    /// <summary>
    /// Whether the calling thread held the loop just now. A hint: inside a callback the answer may be stale at once, because
    /// the loop can be handed over at any time.
    /// </summary>
    public bool IsHeldByCurrentThread => LoopThread.Current is { } thread && ReferenceEquals(thread, _holder);

    /// <summary>
    /// Watches a descriptor edge-triggered (EPOLLET): events come when something changes, so a handler reads and writes until
    /// nothing is left. The registration ends with <see cref="Unregister(EventLoopHandler)"/>, before the descriptor is closed.
    /// </summary>
    /// <param name="descriptor">
    /// The descriptor. One that has duplicates ends with <see cref="Unregister(SafeHandle, EventLoopHandler)"/>.
    /// </param>
    /// <param name="handler">Receives the events.</param>
    /// <param name="events">What to watch for, besides errors and hang-ups.</param>
    /// <exception cref="NumaException">epoll_ctl(2) failed, as with ENOSPC or ENOMEM; nothing is registered.</exception>
    public void Register(SafeHandle descriptor, EventLoopHandler handler, EventLoopEvents events) =>
        Add(descriptor, handler, (uint)events | Native.EPOLLET);

    /// <summary>Watches a descriptor level-triggered: the event comes again for as long as the condition holds.</summary>
    /// <param name="descriptor">
    /// The descriptor. One that has duplicates ends with <see cref="Unregister(SafeHandle, EventLoopHandler)"/>.
    /// </param>
    /// <param name="handler">Receives the events.</param>
    /// <param name="events">What to watch for, besides errors and hang-ups.</param>
    /// <exception cref="NumaException">epoll_ctl(2) failed; nothing is registered then.</exception>
    internal void RegisterLevelTriggered(SafeHandle descriptor, EventLoopHandler handler, EventLoopEvents events) =>
        Add(descriptor, handler, (uint)events);

    /// <summary>
    /// Changes what a registration watches for; none keeps errors and hang-ups. It stays edge-triggered, and what is
    /// ready now is an event.
    /// </summary>
    /// <param name="descriptor">The descriptor that was registered.</param>
    /// <param name="handler">Its handler.</param>
    /// <param name="events">What to watch for from now on.</param>
    /// <exception cref="InvalidOperationException">The handler is not registered.</exception>
    /// <exception cref="NumaException">epoll_ctl(2) failed.</exception>
    public void Modify(SafeHandle descriptor, EventLoopHandler handler, EventLoopEvents events)
    {
        ArgumentNullException.ThrowIfNull(descriptor);
        ArgumentNullException.ThrowIfNull(handler);
        lock (_registrations)
        {
            var interest = (uint)events | (handler.Interest & Native.EPOLLET);
            var data = _handlers.Change(handler, interest);
            _epoll.Modify(descriptor, interest, data).ThrowIfFailed("epoll_ctl(EPOLL_CTL_MOD)");
        }
    }

    /// <summary>
    /// Like <see cref="Modify"/>, for a registration that another thread may be ending: ENOENT if it has ended.
    /// </summary>
    internal SysResult TryModify(SafeHandle descriptor, EventLoopHandler handler, EventLoopEvents events)
    {
        lock (_registrations)
        {
            var interest = (uint)events | (handler.Interest & Native.EPOLLET);
            return _handlers.TryChange(handler, interest, out var data)
                ? _epoll.Modify(descriptor, interest, data)
                : SysResult.FromErrno(Errno.ENOENT);
        }
    }

    /// <summary>
    /// Ends a registration. Closing the descriptor takes it out of the kernel's set; an event that is already on its way finds
    /// no handler, but a callback may still be running on another thread.
    /// </summary>
    /// <param name="handler">The handler.</param>
    public void Unregister(EventLoopHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        _handlers.Remove(handler);
    }

    /// <summary>
    /// Ends a registration and takes the descriptor out of the kernel's set: for one that stays open, in this process or, as a
    /// duplicate, in another. Does nothing when the handler is not registered.
    /// </summary>
    /// <param name="descriptor">The descriptor that was registered, still open.</param>
    /// <param name="handler">Its handler.</param>
    /// <exception cref="NumaException">epoll_ctl(2) failed; the handler gets no more events all the same.</exception>
    public void Unregister(SafeHandle descriptor, EventLoopHandler handler)
    {
        ArgumentNullException.ThrowIfNull(descriptor);
        ArgumentNullException.ThrowIfNull(handler);
        lock (_registrations)
        {
            if (_handlers.Remove(handler))
            {
                _epoll.Remove(descriptor).ThrowIfFailed("epoll_ctl(EPOLL_CTL_DEL)");
            }
        }
    }

    /// <summary>
    /// Calls the handler's <see cref="EventLoopHandler.OnReady"/> with <see cref="EventLoopEvents.Posted"/> on the loop's
    /// thread, soon. A handler that is queued already is not queued again. Allocates nothing; rings the doorbell (one system
    /// call) only when the loop sleeps.
    /// </summary>
    /// <param name="handler">The handler; it need not be registered.</param>
    public void Post(EventLoopHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        _posts.Push(handler);
        WakeIfAsleep();
    }

    private void Add(SafeHandle descriptor, EventLoopHandler handler, uint events)
    {
        ArgumentNullException.ThrowIfNull(descriptor);
        ArgumentNullException.ThrowIfNull(handler);
        lock (_registrations)
        {
            var data = _handlers.Add(handler, descriptor, events);
            var result = _epoll.Add(descriptor, events, data);
            if (!result.Succeeded)
            {
                _handlers.Remove(handler);
                result.ThrowIfFailed("epoll_ctl(EPOLL_CTL_ADD)");
            }
        }
    }

    // Busy polling: a property of the epoll instance, so it is set on every new one.

    internal int EpollDescriptor => Volatile.Read(ref _epoll).Number;

    // Runs before the loop's first thread starts, or on the holder's thread: nothing else replaces the instance.
    private void SetBusyPoll()
    {
        var parameters = _options.EpollParameters;
        if (parameters is { BusyPollMicroseconds: 0, BusyPollBudget: 0, PreferBusyPoll: 0 })
        {
            return;
        }

        var result = _epoll.SetParameters(parameters);
        if (result.Succeeded)
        {
            _noBusyPoll?.End();
        }
        else
        {
            var why = result.Errno switch
            {
                Errno.ENOTTY => "it takes Linux 6.9",
                Errno.EOPNOTSUPP => "the kernel was built without CONFIG_NET_RX_BUSY_POLL",
                Errno.EPERM => "a budget of more than 64 packets needs CAP_NET_ADMIN",
                _ => "see ioctl_eventpoll(2)",
            };
            _noBusyPoll?.Report(string.Create(
                CultureInfo.InvariantCulture,
                $"Busy polling by event loops (EPIOCSPARAMS: {parameters.BusyPollMicroseconds} us, "
                + $"budget {parameters.BusyPollBudget}, preferred {parameters.PreferBusyPoll}) was refused "
                + $"({result.ErrorName}: {why}). They wait without it."));
        }
    }
}
