using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Tests.Support;

/// <summary>One thread as Windows keeps it: the mask in its first group, and a CPU set of its own.</summary>
internal sealed class FakeThreads(ushort group, ulong mask) : IThreadCalls
{
    public GroupAffinity Affinity { get; set; } = new(group, mask);

    /// <summary>Null: the system has no CPU sets by masks (before Windows Server 2022).</summary>
    public GroupAffinity[]? Selected { get; set; }

    public ProcessorNumber Current { get; set; }

    public int Error { get; set; }

    /// <summary>Every affinity that was set, in order.</summary>
    public List<GroupAffinity> Confined { get; } = [];

    public int GetThreadGroupAffinity(out GroupAffinity affinity)
    {
        affinity = Error == Win32Error.ERROR_SUCCESS ? Affinity : default;
        return Error;
    }

    public int SetThreadGroupAffinity(GroupAffinity affinity)
    {
        if (Error == Win32Error.ERROR_SUCCESS)
        {
            Affinity = affinity;
            Confined.Add(affinity);
        }

        return Error;
    }

    public int GetThreadSelectedCpuSetMasks(Span<GroupAffinity> masks, out ushort count)
    {
        count = (ushort)(Selected?.Length ?? 0);
        return Selected is null ? Win32Error.ERROR_PROC_NOT_FOUND
            : Selected.AsSpan().TryCopyTo(masks) ? Win32Error.ERROR_SUCCESS
            : Win32Error.ERROR_INSUFFICIENT_BUFFER;
    }

    public int SetThreadSelectedCpuSetMasks(ReadOnlySpan<GroupAffinity> masks)
    {
        if (Selected is null)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        Selected = masks.ToArray();
        return Win32Error.ERROR_SUCCESS;
    }

    public ProcessorNumber GetCurrentProcessorNumber() => Current;
}
