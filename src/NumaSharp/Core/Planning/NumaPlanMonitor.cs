using NumaSharp.Core.Affinity;
using NumaSharp.Core.Topology;

namespace NumaSharp.Core;

/// <summary>
/// Watches a machine that changes while the process runs (CPUs and memory come and go, cpusets and masks are rewritten) and
/// keeps the plan that fits it now. Thread-safe.
/// </summary>
public sealed partial class NumaPlanMonitor : IDisposable
{
    private const string ReadFeature = "topology.reread";
    private const string WatchFeature = "topology.watch";
    private const string ApplyFeature = "topology.apply";

    private readonly Lock _lock = new();
    private readonly NumaPlatform _platform;
    private readonly NumaFallbacks _fallbacks;
    private readonly TimeProvider _time;
    private Action<NumaPlan>? _appliers;
    private NumaPlan _plan;
    private NumaTopology _topology;
    private NumaPlanChange? _lastChange;
    private IReadOnlyList<NumaFallback> _misfits = [];
    private string? _signature;
    private long _changes;

    /// <summary>Makes a monitor; nothing is read before <see cref="Check"/> or <see cref="Start"/>.</summary>
    /// <param name="plan">The plan that is carried out.</param>
    /// <param name="platform">Reads the machine.</param>
    /// <param name="fallbacks">Told what can no longer be had.</param>
    /// <param name="time">For the interval; <see langword="null"/> for the system's.</param>
    public NumaPlanMonitor(NumaPlan plan, NumaPlatform platform, NumaFallbacks fallbacks, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(platform);
        ArgumentNullException.ThrowIfNull(fallbacks);
        _plan = plan;
        _topology = plan.Topology;
        _platform = platform;
        _fallbacks = fallbacks;
        _time = time ?? BackgroundTime.Instance;
    }

    /// <summary>
    /// Raised after a change was carried out, on the thread that looked. What a handler throws is reported as the fallback
    /// <c>topology.apply</c>, and the others are still called.
    /// </summary>
    public event EventHandler<NumaPlanChange>? Changed;

    /// <summary>The plan that fits the machine as it was last seen.</summary>
    public NumaPlan Plan => Volatile.Read(ref _plan);

    /// <summary>The machine as it was last read.</summary>
    public NumaTopology Topology => Volatile.Read(ref _topology);

    /// <summary>The last change of the plan, or <see langword="null"/>.</summary>
    public NumaPlanChange? LastChange => Volatile.Read(ref _lastChange);

    /// <summary>How often the plan has changed.</summary>
    public long Changes => Volatile.Read(ref _changes);

    /// <summary>
    /// Has a plan carried out whenever there is a new one, and the current one again when the masks of threads were rewritten
    /// from outside; at once if the plan has changed already. In the order of the calls, one at a time, before
    /// <see cref="Changed"/>.
    /// </summary>
    /// <param name="apply">Carries out a plan, also the same one again; must not wait. What it throws is reported.</param>
    public void Follow(Action<NumaPlan> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        lock (_lock)
        {
            _appliers += apply;
            if (_changes > 0)
            {
                Raise(apply, handler => handler(_plan));
            }
        }
    }

    /// <summary>Looks at the machine once, and carries out what follows. Cheap while nothing has changed.</summary>
    /// <returns>Whether the plan has changed.</returns>
    public bool Check() => Look(null);

    private bool Look(MaskSentinel? sentinel)
    {
        NumaPlanChange? change;
        lock (_lock)
        {
            change = TryFollow();
            if (change is not null)
            {
                CarryOut(change);
                sentinel?.Unsettle();
            }
            else if (sentinel?.HasReason() == true)
            {
                Raise(_appliers, handler => handler(_plan));
            }
            else
            {
                return false;
            }

            sentinel?.Arm(_plan);
        }

        // Without the lock: a handler may wait for somebody who is about to follow.
        if (change is not null)
        {
            Raise(Changed, handler => handler(this, change));
        }

        return change is not null;
    }

    private NumaPlanChange? TryFollow()
    {
        try
        {
            // First the signature, then the rest: what changes in between is found the next time.
            var signature = _platform.Topology.ReadSignature();
            if (!string.IsNullOrEmpty(signature) && signature == _signature)
            {
                return null;
            }

            var change = Follow(_platform.Topology.Read());
            _signature = signature;
            _fallbacks.Withdraw(ReadFeature);
            return change;
        }
        catch (Exception exception)
        {
            // Whatever a provider throws, threads go on where they are; on this thread it would end the process.
            _fallbacks.Report(new NumaFallback(
                ReadFeature, $"The machine cannot be read; threads and memory stay as they are planned. {exception.Message}"));
            return null;
        }
    }

    private NumaPlanChange? Follow(NumaTopology topology)
    {
        var change = TopologyShape.IsSame(_topology, topology) ? null : _plan.Adapt(topology);
        Volatile.Write(ref _topology, topology);
        if (change is null)
        {
            return null;
        }

        ReportMisfits(change.Fallbacks);
        return change.IsEmpty ? null : change;
    }

    private void ReportMisfits(IReadOnlyList<NumaFallback> misfits)
    {
        if (misfits.SequenceEqual(_misfits))
        {
            return;
        }

        foreach (var misfit in _misfits.Except(misfits))
        {
            _fallbacks.Withdraw(misfit.Feature);
        }

        foreach (var misfit in misfits.Except(_misfits))
        {
            _fallbacks.Report(misfit);
        }

        _misfits = misfits;
    }

    private void CarryOut(NumaPlanChange change)
    {
        Volatile.Write(ref _plan, change.Plan);
        Volatile.Write(ref _lastChange, change);
        Volatile.Write(ref _changes, _changes + 1);

        // What was refused on other CPUs may be granted on these; whoever is refused again says so again.
        _fallbacks.Withdraw(ThreadAffinity.PinFeature);
        _fallbacks.Withdraw(ApplyFeature);
        Raise(_appliers, handler => handler(change.Plan));
    }

    private void Raise<T>(T? handlers, Action<T> call)
        where T : Delegate
    {
        foreach (var handler in Delegate.EnumerateInvocationList(handlers))
        {
            try
            {
                call(handler);
            }
            catch (Exception exception)
            {
                _fallbacks.Report(new NumaFallback(
                    ApplyFeature, $"A change of the machine could not be carried out in full. {exception.Message}"));
            }
        }
    }
}
