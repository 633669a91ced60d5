namespace NumaSharp.Plugins.Simulated;

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
