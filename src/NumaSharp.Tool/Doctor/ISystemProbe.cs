using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor;

/// <summary>Probes the running system; each answer is the result of a call that is undone at once.</summary>
internal interface ISystemProbe
{
    /// <summary>Whether the calls are those of Linux, which seccomp may refuse.</summary>
    bool IsLinux { get; }

    /// <summary>mbind(2) of a page to a node: preferred, or strictly to this node.</summary>
    NumaResult TryBind(NumaNodeId nodeId, bool isStrict);

    /// <summary>move_pages(2), as a query.</summary>
    NumaResult TryQueryNode();

    /// <summary>sched_setaffinity(2) of a thread to its current CPUs.</summary>
    NumaResult TryPin();
}
