namespace NumaSharp.Core;

/// <summary>Calls of affinity providers, which may be foreign code: an exception counts as a refusal.</summary>
internal static class AffinityProviderExtensions
{
    /// <summary>Pins the calling thread.</summary>
    public static NumaResult TrySetThreadCpus(this INumaAffinityProvider provider, CpuSet cpus)
    {
        try
        {
            return provider.SetThreadCpus(cpus);
        }
        catch (Exception e)
        {
            return Refusal(e);
        }
    }

    /// <summary>As <see cref="TrySetThreadCpus"/>, for reading the calling thread's mask.</summary>
    public static NumaResult TryGetThreadCpus(this INumaAffinityProvider provider, out CpuSet cpus)
    {
        try
        {
            return provider.GetThreadCpus(out cpus);
        }
        catch (Exception e)
        {
            cpus = CpuSet.Empty;
            return Refusal(e);
        }
    }

    /// <summary>Reads the calling thread's mask, or <see langword="null"/>.</summary>
    public static CpuSet? TryGetThreadCpus(this INumaAffinityProvider provider) =>
        provider.TryGetThreadCpus(out var cpus).Succeeded ? cpus : null;

    /// <summary>As <see cref="TrySetThreadCpus"/>, for reading where the calling thread runs.</summary>
    public static NumaResult TryGetCurrent(this INumaAffinityProvider provider, out int cpu, out NumaNodeId nodeId)
    {
        try
        {
            return provider.GetCurrent(out cpu, out nodeId);
        }
        catch (Exception e)
        {
            (cpu, nodeId) = (0, default);
            return Refusal(e);
        }
    }

    private static NumaResult Refusal(Exception e) => new(NumaFailure.Other, 0, $"{e.GetType().Name}: {e.Message}");
}
