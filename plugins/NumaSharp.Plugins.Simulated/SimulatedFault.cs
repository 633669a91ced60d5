using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>An operation that fails. The first fault that matches a call determines its result. Immutable.</summary>
public sealed record SimulatedFault
{
    /// <summary>Creates a fault from its properties.</summary>
    /// <param name="operation"><see cref="Operation"/></param>
    /// <param name="error"><see cref="Error"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    /// <param name="after"><see cref="After"/></param>
    /// <param name="times"><see cref="Times"/></param>
    public SimulatedFault(
        SimulatedOperation operation,
        SimulatedError error,
        NumaNodeId? nodeId = null,
        int after = 0,
        int times = 0)
    {
        Operation = operation;
        Error = error;
        NodeId = nodeId;
        After = after;
        Times = times;
    }

    /// <summary>The operation that fails.</summary>
    public SimulatedOperation Operation { get; init; }

    /// <summary>The error it fails with.</summary>
    public SimulatedError Error { get; init; }

    /// <summary>
    /// Only for this node: the one that memory is bound to or taken for, that the CPUs belong to, or that is queried;
    /// <see langword="null"/> for all.
    /// </summary>
    public NumaNodeId? NodeId { get; init; }

    /// <summary>The number of matching calls that succeed first.</summary>
    public int After { get; init; }

    /// <summary>The number of calls that fail after that; 0 for all.</summary>
    public int Times { get; init; }
}

/// <summary>The errors that a fault returns, by the kernel's names (errno(3)).</summary>
public enum SimulatedError
{
    /// <summary>Refused by policy, as in a container.</summary>
    EPERM,

    /// <summary>No memory.</summary>
    ENOMEM,

    /// <summary>An argument does not fit the machine.</summary>
    EINVAL,

    /// <summary>The system has no such call.</summary>
    ENOSYS,

    /// <summary>Any other error.</summary>
    EIO,
}
