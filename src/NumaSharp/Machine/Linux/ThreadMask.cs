using NumaSharp.Interop;

namespace NumaSharp.Core.Linux;

/// <summary>Thread affinity masks in the kernel's own width, which is found by trying (sched_getaffinity(2), NOTES).</summary>
internal static class ThreadMask
{
    private const int FirstWords = 1024 / 64;
    private const int MaxWords = (CpuSet.MaxId + 1) / 64;

    /// <summary>Reads a thread's mask; 0 is the calling thread, the process id its main thread.</summary>
    public static NumaResult Read(int threadId, out CpuSet cpus)
    {
        for (var words = FirstWords; ; words *= 2)
        {
            var mask = new ulong[words];
            var result = Native.SchedGetAffinity(threadId, mask);
            if (result.Succeeded)
            {
                cpus = CpuSet.FromWords(mask);
                return NumaResult.Success;
            }

            if (result.Errno != Errno.EINVAL || words >= MaxWords)
            {
                cpus = CpuSet.Empty;
                return NumaResults.From(result);
            }
        }
    }

    /// <summary>Sets the calling thread's mask.</summary>
    public static NumaResult Write(CpuSet cpus)
    {
        // The kernel takes a mask of any width, but not of none: an empty set gets its EINVAL.
        Span<ulong> empty = [0];
        return NumaResults.From(Native.SchedSetAffinity(0, cpus.IsEmpty ? empty : cpus.AsWords()));
    }
}
