using System.Numerics;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>The CPUs of the calling thread, across processor groups. Calls return the Win32 error.</summary>
internal sealed class ThreadGroups(IThreadCalls threads, IProcessorCalls processors)
{
    // SetThreadGroupAffinity was called on it: the thread is confined to one group permanently.
    [ThreadStatic]
    private static bool t_isConfined;

    // Read on demand, because most machines have one group. Null: Windows does not report it.
    private readonly Lazy<ProcessorInformation?> _processors = new(() => ReadProcessors(processors));

    private uint _turn;

    public int Read(out CpuSet cpus)
    {
        cpus = CpuSet.Empty;
        var error = threads.GetThreadGroupAffinity(out var affinity);
        if (error != Win32Error.ERROR_SUCCESS)
        {
            return error;
        }

        cpus = CpuNumbers.SetOf(affinity);
        if (!t_isConfined
            && GroupMasks.Read(threads.GetThreadSelectedCpuSetMasks, out var selected) == Win32Error.ERROR_SUCCESS)
        {
            cpus = selected.Length > 0 ? CpuNumbers.SetOf(selected) : Widen(affinity, cpus);
        }

        return error;
    }

    public int Write(CpuSet cpus) => CpuNumbers.AffinitiesOf(cpus) switch
    {
        [] => Win32Error.ERROR_INVALID_PARAMETER,
        [var only] => Confine(only),
        var several when t_isConfined => Confine(Choose(cpus, several)),
        var several => Select(cpus, several),
    };

    public int ReadCurrent(out int cpu, out int nodeId)
    {
        var processor = threads.GetCurrentProcessorNumber();
        cpu = CpuNumbers.IdOf(processor);
        var error = processors.GetNumaProcessorNodeEx(processor, out var node);
        nodeId = node;
        return error == Win32Error.ERROR_SUCCESS || TryFindNode(cpu, out nodeId) ? Win32Error.ERROR_SUCCESS : error;
    }

    private static ProcessorInformation? ReadProcessors(IProcessorCalls calls)
    {
        try
        {
            return WindowsTopologyReader.ReadProcessors(calls);
        }
        catch (NumaException)
        {
            // The topology provider has reported it; the calls for one group work without.
            return null;
        }
    }

    // Since Windows Server 2022 a thread runs in all groups unless confined, and only its first group is reported.
    private CpuSet Widen(GroupAffinity affinity, CpuSet cpus) =>
        _processors.Value is { } machine && affinity.Mask == CpuNumbers.MaskOf(machine.ActiveCpus, affinity.Group)
            ? machine.ActiveCpus
            : cpus;

    private int Confine(GroupAffinity affinity)
    {
        var error = threads.SetThreadGroupAffinity(affinity);
        if (error == Win32Error.ERROR_SUCCESS)
        {
            // An earlier CPU set would narrow the group's CPUs further. Without CPU sets there is nothing to clear.
            threads.SetThreadSelectedCpuSetMasks([]);
            t_isConfined = true;
        }

        return error;
    }

    private int Select(CpuSet cpus, GroupAffinity[] several)
    {
        var error = threads.SetThreadSelectedCpuSetMasks(several);
        return error == Win32Error.ERROR_PROC_NOT_FOUND ? Confine(Choose(cpus, several)) : error;
    }

    // Golden-ratio steps spread any number of threads over the groups in proportion to their CPUs.
    private GroupAffinity Choose(CpuSet cpus, GroupAffinity[] several)
    {
        const uint Step = 0x9E3779B9;
        var turn = (Interlocked.Increment(ref _turn) - 1) * Step;
        var left = (int)(((ulong)turn * (ulong)cpus.Count) >> 32);
        foreach (var affinity in several)
        {
            left -= BitOperations.PopCount((ulong)affinity.Mask);
            if (left < 0)
            {
                return affinity;
            }
        }

        return several[^1];
    }

    private bool TryFindNode(int cpu, out int nodeId)
    {
        nodeId = 0;
        foreach (var (id, cpus) in _processors.Value?.Nodes ?? new Dictionary<int, CpuSet>())
        {
            if (cpus.Contains(cpu))
            {
                nodeId = id;
                return true;
            }
        }

        return false;
    }
}
