namespace NumaSharp.Core;

/// <summary>Why a provider call failed, in terms that are the same on every platform.</summary>
public enum NumaFailure
{
    /// <summary>The call succeeded.</summary>
    None,

    /// <summary>
    /// Refused by policy: EPERM or EACCES. Docker's default seccomp profile refuses mbind(2) and move_pages(2) this way.
    /// </summary>
    NotPermitted,

    /// <summary>The system has no such call or no NUMA: ENOSYS, EOPNOTSUPP.</summary>
    NotSupported,

    /// <summary>An argument is wrong for this machine, such as a node that is not online: EINVAL.</summary>
    InvalidArgument,

    /// <summary>No memory, address space, or quota left: ENOMEM, EAGAIN of mlock limits.</summary>
    OutOfMemory,

    /// <summary>Anything else; see the error name.</summary>
    Other,
}
