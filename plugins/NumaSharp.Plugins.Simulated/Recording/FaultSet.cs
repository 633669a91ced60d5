using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Recording;

/// <summary>A machine's faults, and how many calls have matched each. Thread-safe.</summary>
internal sealed class FaultSet
{
    private readonly Lock _lock = new();
    private readonly List<(SimulatedFault Fault, StrongBox Met)> _faults = [];

    public void Add(SimulatedFault fault)
    {
        lock (_lock)
        {
            _faults.Add((fault, new StrongBox()));
        }
    }

    public void Clear()
    {
        lock (_lock)
        {
            _faults.Clear();
        }
    }

    /// <summary>The result that a fault gives a call, or success if none matches.</summary>
    public NumaResult Meet(SimulatedOperation operation, Func<NumaNodeId, bool> concerns)
    {
        lock (_lock)
        {
            foreach (var (fault, met) in _faults)
            {
                if (fault.Operation != operation || (fault.NodeId is { } node && !concerns(node)))
                {
                    continue;
                }

                var number = met.Value++;
                if (number >= fault.After && (fault.Times == 0 || number < (long)fault.After + fault.Times))
                {
                    return fault.Error.ToResult();
                }
            }
        }

        return NumaResult.Success;
    }

    private sealed class StrongBox
    {
        public long Value { get; set; }
    }
}

/// <summary>Errors as the Linux providers would report them.</summary>
internal static class SimulatedErrors
{
    public static NumaResult ToResult(this SimulatedError error) => error switch
    {
        SimulatedError.EPERM => new NumaResult(NumaFailure.NotPermitted, 1, nameof(SimulatedError.EPERM)),
        SimulatedError.ENOMEM => new NumaResult(NumaFailure.OutOfMemory, 12, nameof(SimulatedError.ENOMEM)),
        SimulatedError.EINVAL => new NumaResult(NumaFailure.InvalidArgument, 22, nameof(SimulatedError.EINVAL)),
        SimulatedError.ENOSYS => new NumaResult(NumaFailure.NotSupported, 38, nameof(SimulatedError.ENOSYS)),
        SimulatedError.EIO => new NumaResult(NumaFailure.Other, 5, nameof(SimulatedError.EIO)),
        _ => throw new ArgumentOutOfRangeException(nameof(error), error, "Not a SimulatedError value."),
    };
}
