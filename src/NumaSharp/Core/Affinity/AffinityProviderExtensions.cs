namespace NumaSharp.Core.Affinity;

internal static class AffinityProviderExtensions
{
    /// <summary>Pins the calling thread; a provider is foreign code, and what it throws is a refusal like any other.</summary>
    public static NumaResult TrySetThreadCpus(this INumaAffinityProvider provider, CpuSet cpus)
    {
        try
        {
            return provider.SetThreadCpus(cpus);
        }
        catch (Exception e)
        {
            return new NumaResult(NumaFailure.Other, 0, $"{e.GetType().Name}: {e.Message}");
        }
    }

    /// <summary>Reads the calling thread's mask, or <see langword="null"/>.</summary>
    public static CpuSet? TryGetThreadCpus(this INumaAffinityProvider provider)
    {
        try
        {
            return provider.GetThreadCpus(out var cpus).Succeeded ? cpus : null;
        }
        catch (Exception)
        {
            // Foreign code, asked for advice: whoever needs the mask does without.
            return null;
        }
    }
}
