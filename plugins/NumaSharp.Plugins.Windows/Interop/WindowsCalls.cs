using System.Runtime.Versioning;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>The calls to the Windows system of this process.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsCalls : IProcessorCalls, IThreadCalls, IMemoryCalls
{
    public int GetLogicalProcessorInformation(out byte[] records) => Native.GetLogicalProcessorInformation(out records);

    public int GetNumaHighestNodeNumber(out uint highest) => Native.GetNumaHighestNodeNumber(out highest);

    public int GetNumaNodeProcessorMask2(ushort node, Span<GroupAffinity> masks, out ushort count) =>
        Native.GetNumaNodeProcessorMask2(node, masks, out count);

    public int GetNumaNodeProcessorMaskEx(ushort node, out GroupAffinity mask) =>
        Native.GetNumaNodeProcessorMaskEx(node, out mask);

    public int GetNumaAvailableMemoryNodeEx(ushort node, out ulong bytes) =>
        Native.GetNumaAvailableMemoryNodeEx(node, out bytes);

    public int GetNumaProcessorNodeEx(ProcessorNumber processor, out ushort node) =>
        Native.GetNumaProcessorNodeEx(processor, out node);

    public int GlobalMemoryStatusEx(out MemoryStatus status) => Native.GlobalMemoryStatusEx(out status);

    public int GetProcessAffinityMask(out nuint process, out nuint system) =>
        Native.GetProcessAffinityMask(out process, out system);

    public int GetProcessGroupAffinity(Span<ushort> groups, out ushort count) =>
        Native.GetProcessGroupAffinity(groups, out count);

    public int GetProcessDefaultCpuSetMasks(Span<GroupAffinity> masks, out ushort count) =>
        Native.GetProcessDefaultCpuSetMasks(masks, out count);

    public int GetJobGroupAffinity(Span<GroupAffinity> masks, out ushort count) =>
        Native.GetJobGroupAffinity(masks, out count);

    public int GetThreadGroupAffinity(out GroupAffinity affinity) => Native.GetThreadGroupAffinity(out affinity);

    public int SetThreadGroupAffinity(GroupAffinity affinity) => Native.SetThreadGroupAffinity(affinity);

    public int GetThreadSelectedCpuSetMasks(Span<GroupAffinity> masks, out ushort count) =>
        Native.GetThreadSelectedCpuSetMasks(masks, out count);

    public int SetThreadSelectedCpuSetMasks(ReadOnlySpan<GroupAffinity> masks) =>
        Native.SetThreadSelectedCpuSetMasks(masks);

    public ProcessorNumber GetCurrentProcessorNumber() => Native.GetCurrentProcessorNumber();

    public int Reserve(nint address, nuint size, int? node, out nint reserved) =>
        Native.Reserve(address, size, node, out reserved);

    public int Commit(nint address, nuint size, int? node) => Native.Commit(address, size, node);

    public int Decommit(nint address, nuint size) => Native.Decommit(address, size);

    public int Free(nint address) => Native.Free(address);

    public int ReservePlaceholder(nuint size, nuint alignment, out nint reserved) =>
        Native.ReservePlaceholder(size, alignment, out reserved);

    public int CutPlaceholder(nint address, nuint size) => Native.CutPlaceholder(address, size);

    public int ReplacePlaceholder(nint address, nuint size, int? node) => Native.ReplacePlaceholder(address, size, node);

    public int QueryPage(nint address, out WorkingSetPage page) => Native.QueryPage(address, out page);
}

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

/// <summary>Address space and pages of this process. Every call returns the Win32 error, 0 on success.</summary>
internal interface IMemoryCalls
{
    int Reserve(nint address, nuint size, int? node, out nint reserved);

    int Commit(nint address, nuint size, int? node);

    int Decommit(nint address, nuint size);

    int Free(nint address);

    int ReservePlaceholder(nuint size, nuint alignment, out nint reserved);

    int CutPlaceholder(nint address, nuint size);

    int ReplacePlaceholder(nint address, nuint size, int? node);

    int QueryPage(nint address, out WorkingSetPage page);
}

/// <summary>Affinity of the calling thread. Calls that can fail return the Win32 error, 0 on success.</summary>
internal interface IThreadCalls
{
    int GetThreadGroupAffinity(out GroupAffinity affinity);

    int SetThreadGroupAffinity(GroupAffinity affinity);

    int GetThreadSelectedCpuSetMasks(Span<GroupAffinity> masks, out ushort count);

    int SetThreadSelectedCpuSetMasks(ReadOnlySpan<GroupAffinity> masks);

    ProcessorNumber GetCurrentProcessorNumber();
}

/// <summary>Whether this process can make the calls at all: a plugin may be registered on any system.</summary>
internal static class WindowsSystem
{
    /// <summary>The calls, or <see langword="null"/> if they are unavailable.</summary>
    public static WindowsCalls? Calls { get; } =
        OperatingSystem.IsWindows() && Environment.Is64BitProcess ? new WindowsCalls() : null;

    /// <summary>Why they are unavailable.</summary>
    public static string Unavailable { get; } = OperatingSystem.IsWindows()
        ? "a 32-bit process cannot see all CPUs of a processor group; run the 64-bit build"
        : "this system is not Windows";

    public static NumaResult NotAvailable { get; } = new(NumaFailure.NotSupported, 0, Unavailable);
}
