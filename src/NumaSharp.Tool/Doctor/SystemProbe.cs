using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor;

/// <summary>Probes this machine's providers.</summary>
internal sealed class SystemProbe(NumaPlatform platform) : ISystemProbe
{
    public bool IsLinux => platform.Memory.Name == LinuxTopologyProvider.ProviderName;

    public NumaResult TryBind(NumaNodeId nodeId, bool isStrict) => OnPage((memory, address) => memory.Bind(
        address, memory.PageSize, isStrict ? NumaPlacement.Bind(nodeId) : NumaPlacement.Prefer(nodeId)));

    public NumaResult TryQueryNode() => OnPage(static (memory, address) =>
    {
        Marshal.WriteByte(address, 1);
        return memory.QueryNode(address, out _);
    });

    // To its current mask: nothing changes, and a system that refuses this refuses any mask.
    public NumaResult TryPin()
    {
        var result = platform.Affinity.GetThreadCpus(out var cpus);
        return result.Succeeded ? platform.Affinity.SetThreadCpus(cpus) : result;
    }

    private NumaResult OnPage(Func<INumaMemoryProvider, nint, NumaResult> action)
    {
        var memory = platform.Memory;
        var result = memory.Reserve(memory.PageSize, memory.PageSize, out var address);
        if (!result.Succeeded)
        {
            return result;
        }

        result = memory.Commit(address, memory.PageSize);
        result = result.Succeeded ? action(memory, address) : result;
        var released = memory.Release(address, memory.PageSize);
        return result.Succeeded ? released : result;
    }
}

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
