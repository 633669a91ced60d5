namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>Windows' calls for processors, nodes and limits. Every call returns the Win32 error, 0 on success.</summary>
internal interface IProcessorCalls
{
    int GetLogicalProcessorInformation(out byte[] records);

    int GetNumaHighestNodeNumber(out uint highest);

    int GetNumaNodeProcessorMask2(ushort node, Span<GroupAffinity> masks, out ushort count);

    int GetNumaNodeProcessorMaskEx(ushort node, out GroupAffinity mask);

    int GetNumaAvailableMemoryNodeEx(ushort node, out ulong bytes);

    int GetNumaProcessorNodeEx(ProcessorNumber processor, out ushort node);

    int GlobalMemoryStatusEx(out MemoryStatus status);

    int GetProcessAffinityMask(out nuint process, out nuint system);

    int GetProcessGroupAffinity(Span<ushort> groups, out ushort count);

    int GetProcessDefaultCpuSetMasks(Span<GroupAffinity> masks, out ushort count);

    int GetJobGroupAffinity(Span<GroupAffinity> masks, out ushort count);
}
