using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Tests.Support;

/// <summary>A Windows with the machine, limits and age that a test gives it.</summary>
internal sealed class FakeMachine(RecordBuilder records) : IProcessorCalls
{
    public byte[] Records { get; set; } = records.ToArray();

    /// <summary>What every call answers that should not.</summary>
    public int RecordsError { get; set; }

    /// <summary>Null: the call fails, as those of Wine do.</summary>
    public uint? HighestNode { get; set; } = 0;

    /// <summary>Whether the system has the calls that are new in Windows Server 2022.</summary>
    public bool HasServer2022 { get; set; }

    /// <summary>By node; others are not there.</summary>
    public Dictionary<int, (int Group, ulong Mask)[]> NodeMasks { get; } = [];

    public Dictionary<int, ulong> AvailableBytes { get; } = [];

    public ulong? TotalPhysical { get; set; }

    public ulong AvailablePhysical { get; set; }

    public (ulong Process, ulong System)? ProcessAffinity { get; set; }

    /// <summary>Null: the call fails, as Wine's does.</summary>
    public ushort[]? ProcessGroups { get; set; } = [0];

    public (int Group, ulong Mask)[]? JobMasks { get; set; }

    public (int Group, ulong Mask)[] DefaultCpuSets { get; set; } = [];

    public int GetLogicalProcessorInformation(out byte[] records)
    {
        records = Records;
        return RecordsError;
    }

    public int GetNumaHighestNodeNumber(out uint highest)
    {
        highest = HighestNode.GetValueOrDefault();
        return HighestNode is null ? Win32Error.ERROR_CALL_NOT_IMPLEMENTED : Win32Error.ERROR_SUCCESS;
    }

    public int GetNumaNodeProcessorMask2(ushort node, Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        return !HasServer2022 ? Win32Error.ERROR_PROC_NOT_FOUND
            : NodeMasks.TryGetValue(node, out var all) ? Fill(all, masks, out count)
            : Win32Error.ERROR_INVALID_PARAMETER;
    }

    public int GetNumaNodeProcessorMaskEx(ushort node, out GroupAffinity mask)
    {
        mask = default;
        if (!NodeMasks.TryGetValue(node, out var all))
        {
            return Win32Error.ERROR_INVALID_PARAMETER;
        }

        mask = all is [var first, ..] ? new GroupAffinity((ushort)first.Group, first.Mask) : default;
        return Win32Error.ERROR_SUCCESS;
    }

    public int GetNumaAvailableMemoryNodeEx(ushort node, out ulong bytes) =>
        AvailableBytes.TryGetValue(node, out bytes) ? Win32Error.ERROR_SUCCESS : Win32Error.ERROR_INVALID_PARAMETER;

    public int GetNumaProcessorNodeEx(ProcessorNumber processor, out ushort node)
    {
        foreach (var (id, masks) in NodeMasks)
        {
            if (masks.Any(mask => mask.Group == processor.Group && (mask.Mask >> processor.Number & 1) != 0))
            {
                node = (ushort)id;
                return Win32Error.ERROR_SUCCESS;
            }
        }

        node = 0xFFFF;
        return Win32Error.ERROR_INVALID_PARAMETER;
    }

    public int GlobalMemoryStatusEx(out MemoryStatus status)
    {
        status = new MemoryStatus { TotalPhysical = TotalPhysical.GetValueOrDefault(), AvailablePhysical = AvailablePhysical };
        return TotalPhysical is null ? Win32Error.ERROR_GEN_FAILURE : Win32Error.ERROR_SUCCESS;
    }

    public int GetProcessAffinityMask(out nuint process, out nuint system)
    {
        var masks = ProcessAffinity.GetValueOrDefault();
        (process, system) = ((nuint)masks.Process, (nuint)masks.System);
        return ProcessAffinity is null ? Win32Error.ERROR_ACCESS_DENIED : Win32Error.ERROR_SUCCESS;
    }

    public int GetProcessGroupAffinity(Span<ushort> groups, out ushort count)
    {
        count = (ushort)(ProcessGroups?.Length ?? 0);
        if (ProcessGroups is null)
        {
            return Win32Error.ERROR_CALL_NOT_IMPLEMENTED;
        }

        return ProcessGroups.AsSpan().TryCopyTo(groups) ? Win32Error.ERROR_SUCCESS : Win32Error.ERROR_INSUFFICIENT_BUFFER;
    }

    public int GetProcessDefaultCpuSetMasks(Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        return HasServer2022 ? Fill(DefaultCpuSets, masks, out count) : Win32Error.ERROR_PROC_NOT_FOUND;
    }

    public int GetJobGroupAffinity(Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        return JobMasks is null ? Win32Error.ERROR_ACCESS_DENIED : Fill(JobMasks, masks, out count);
    }

    public static int Fill((int Group, ulong Mask)[] all, Span<GroupAffinity> masks, out ushort count)
    {
        count = (ushort)all.Length;
        if (masks.Length < all.Length)
        {
            return Win32Error.ERROR_INSUFFICIENT_BUFFER;
        }

        for (var i = 0; i < all.Length; i++)
        {
            masks[i] = new GroupAffinity((ushort)all[i].Group, all[i].Mask);
        }

        return Win32Error.ERROR_SUCCESS;
    }
}
