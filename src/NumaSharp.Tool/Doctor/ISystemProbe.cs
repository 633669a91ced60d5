using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor;

/// <summary>Questions that only the running system answers; each answer is that of a call, undone at once.</summary>
internal interface ISystemProbe
{
    /// <summary>mbind(2) of a page to a node.</summary>
    NumaResult TryBind(int nodeId);

    /// <summary>move_pages(2), as a query.</summary>
    NumaResult TryQueryNode();

    /// <summary>sched_setaffinity(2) of a thread to the CPUs that it has.</summary>
    NumaResult TryPin();
}
