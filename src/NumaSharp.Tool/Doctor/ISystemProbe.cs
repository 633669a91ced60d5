using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor;

/// <summary>Questions that only the running system answers; each answer is that of a call, undone at once.</summary>
internal interface ISystemProbe
{
    /// <summary>Whether the calls are those of Linux, which seccomp may refuse.</summary>
    bool IsLinux { get; }

    /// <summary>mbind(2) of a page to a node: in preference to others, or to this node and no other.</summary>
    NumaResult TryBind(NumaNodeId nodeId, bool isStrict);

    /// <summary>move_pages(2), as a query.</summary>
    NumaResult TryQueryNode();

    /// <summary>sched_setaffinity(2) of a thread to the CPUs that it has.</summary>
    NumaResult TryPin();
}
