using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>An operation that fails. The first fault that matches a call determines its result. Immutable.</summary>
public sealed record SimulatedFault
{
    /// <summary>Creates a fault of all matching calls.</summary>
    /// <param name="operation"><see cref="Operation"/></param>
    /// <param name="error"><see cref="Error"/></param>
    public SimulatedFault(SimulatedOperation operation, SimulatedError error)
    {
        Operation = operation;
        Error = error;
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
