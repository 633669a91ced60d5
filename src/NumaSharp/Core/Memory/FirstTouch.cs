using NumaSharp.Core.Affinity;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Takes the pages of a range on the node of some CPUs, without mbind: the kernel's default policy gives a page from the
/// node of the thread that touches it first (set_mempolicy(2), MPOL_DEFAULT).
/// </summary>
internal static class FirstTouch
{
    private const int StackSizeBytes = 128 * 1024;

    /// <summary>
    /// Commits and touches every page there: a provider whose pages are taken by the commit takes them on the right node, too.
    /// A thread that cannot be had or pinned never keeps memory from being used.
    /// </summary>
    /// <returns>The outcome of the commit.</returns>
    public static NumaResult Commit(
        INumaMemoryProvider memory, nint address, nuint size, INumaAffinityProvider affinity, CpuSet cpus, out NumaResult pinned)
    {
        NumaResult? committed = null;
        pinned = Run(affinity, cpus, () =>
        {
            committed = memory.Commit(address, size);
            if (committed.Value.Succeeded)
            {
                TouchHere(address, size, memory.PageSize);
            }
        });
        return committed ?? memory.Commit(address, size);
    }

    private static NumaResult Run(INumaAffinityProvider affinity, CpuSet cpus, Action work)
    {
        var result = NumaResult.Success;
        var thread = new Thread(
            () =>
            {
                result = affinity.TrySetThreadCpus(cpus);
                try
                {
                    work();
                }
                catch (Exception exception)
                {
                    // Unhandled here, an exception of a provider would end the process; the caller commits again and gets it.
                    result = Failed(exception);
                }
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
            return Failed(exception);
        }

        AwaitEndOf(thread);
        return result;
    }

    // An interrupted caller waits, too: the range is given to no one else while the thread still writes to it.
    private static void AwaitEndOf(Thread thread)
    {
        var isInterrupted = false;
        while (true)
        {
            try
            {
                thread.Join();
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    private static NumaResult Failed(Exception exception) => new(NumaFailure.Other, 0, exception.GetType().Name);

    /// <summary>Writes 0 to every page: a read would map the shared zero page, which has no node.</summary>
    public static unsafe void TouchHere(nint address, nuint size, nuint pageSize)
    {
        for (nuint offset = 0; offset < size; offset += pageSize)
        {
            Volatile.Write(ref *(byte*)(address + (nint)offset), 0);
        }
    }
}
