namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>Affinity of the calling thread. Calls that can fail return the Win32 error, 0 on success.</summary>
internal interface IThreadCalls
{
    int GetThreadGroupAffinity(out GroupAffinity affinity);

    int SetThreadGroupAffinity(GroupAffinity affinity);

    int GetThreadSelectedCpuSetMasks(Span<GroupAffinity> masks, out ushort count);

    int SetThreadSelectedCpuSetMasks(ReadOnlySpan<GroupAffinity> masks);

    ProcessorNumber GetCurrentProcessorNumber();
}
