using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// A thread that starts the workers of a large plan, one after the other, and ends. A start takes 0.1 to 0.3 ms, so a thousand
/// take longer than all else that a host does before it serves.
/// </summary>
internal sealed class WorkerStarter
{
    /// <summary>
    /// The default limit of the wait for <see cref="StartAll"/>, which nothing calls without a host. A host that has not started
    /// by then gets its workers meanwhile.
    /// </summary>
    public static readonly TimeSpan DefaultDelay = TimeSpan.FromSeconds(10);

    private readonly NumaTaskScheduler _scheduler;
    private readonly WorkerGroup[] _groups;
    private readonly Parker _parker = Parker.Create();
    private readonly Thread _thread;
    private readonly TimeSpan _startsAllAfter;
    private volatile bool _startsAll;
    private volatile bool _isStopped;

    public WorkerStarter(NumaTaskScheduler scheduler, WorkerGroup[] groups, TimeSpan startsAllAfter)
    {
        _scheduler = scheduler;
        _groups = groups;
        _startsAllAfter = startsAllAfter;
        _thread = new Thread(Run) { IsBackground = true, Name = $"{scheduler.ThreadNamePrefix}-start" };
    }

    public bool IsCurrentThread => Thread.CurrentThread == _thread;

    /// <exception cref="OutOfMemoryException">As of <see cref="SystemThread.Start"/>.</exception>
    public void Start() => SystemThread.Start(_thread);

    /// <summary>Requests all workers of the plan.</summary>
    public void StartAll()
    {
        _startsAll = true;
        _parker.Signal();
    }

    /// <summary>Called when work waits on a node without an idle worker: it gets workers while work waits.</summary>
    public void NoticeWork(WorkerGroup group)
    {
        // The thread looks for work after it has taken a signal, which is a full fence.
        if (group.LacksWorkers && !_parker.IsSignalled)
        {
            Signal();
        }
    }

    /// <summary>Called when a change of the plan has added what it lacked: the thread may have nothing left to do.</summary>
    public void NoticePlan() => _parker.Signal();

    /// <summary>Asks the thread to end.</summary>
    public void RequestStop()
    {
        _isStopped = true;
        _parker.Signal();
    }

    /// <summary>Waits for the thread. One that hangs in an affinity provider is left behind.</summary>
    public bool Join(TimeSpan limit) => _thread.Join(limit);

    // Every producer of a busy node checks for it: the call stays out of the callers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Signal() => _parker.Signal();

    private void Run()
    {
        // It must run even when all CPUs of the thread that started it are busy.
        _scheduler.PinToPlan();
        try
        {
            using var reserved = ReservedThreads.Start();
            AddWhenWanted();
        }
        catch (OutOfMemoryException e)
        {
            Array.ForEach(_groups, group => group.ReportMissing(e.Message));
        }

        _scheduler.StarterEnded();
    }

    private void AddWhenWanted()
    {
        var delay = Deadline.In(_startsAllAfter);
        while (!_isStopped && Array.Exists(_groups, static group => group.LacksWorkers))
        {
            if (!_parker.Wait(_startsAll ? Timeout.Infinite : (int)delay.Left.TotalMilliseconds))
            {
                _startsAll = true;
            }

            while (AddOneEach(onlyWhereWorkWaits: true) || (_startsAll && AddOneEach(onlyWhereWorkWaits: false)))
            {
            }
        }
    }

    // To each node in turn, so that none waits for the whole of another. A scheduler that is ending needs no idle workers.
    private bool AddOneEach(bool onlyWhereWorkWaits)
    {
        var isAdded = false;
        foreach (var group in _groups)
        {
            if (onlyWhereWorkWaits ? group.HasOwnWork : _scheduler.IsRunning)
            {
                isAdded |= group.TryAddMissing();
            }
        }

        return isAdded;
    }
}
