using NumaSharp.Core.Affinity;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Takes the pages of a range on the node of some CPUs, without mbind: the kernel's default policy gives a page from the
/// node of the thread that touches it first (set_mempolicy(2), MPOL_DEFAULT).
/// </summary>
internal static class FirstTouch
{
    private const int StackSizeBytes = 128 * 1024;

    /// <summary>Touches every page. The result is about the pinning; a failure never keeps memory from being used.</summary>
    public static NumaResult Touch(nint address, nuint size, nuint pageSize, INumaAffinityProvider affinity, CpuSet cpus)
    {
        var result = NumaResult.Success;
        var thread = new Thread(
            () =>
            {
                result = affinity.TrySetThreadCpus(cpus);
                TouchHere(address, size, pageSize);
            },
            StackSizeBytes)
        {
            IsBackground = true,
            Name = "numa-first-touch",
        };
        try
        {
            thread.UnsafeStart();
        }
        catch (Exception exception) when (exception is ThreadStartException or OutOfMemoryException)
        {
            return new NumaResult(NumaFailure.Other, 0, exception.GetType().Name);
        }

        thread.Join();
        return result;
    }

    // A write: a read would map the shared zero page, which has no node.
    private static unsafe void TouchHere(nint address, nuint size, nuint pageSize)
    {
        for (nuint offset = 0; offset < size; offset += pageSize)
        {
            Volatile.Write(ref *(byte*)(address + (nint)offset), 0);
        }
    }
}
