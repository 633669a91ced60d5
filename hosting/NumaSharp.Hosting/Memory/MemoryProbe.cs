using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// Takes the first memory of every node at start, or the amount in <c>Memory:PoolSizePerNode</c>: only this shows whether it can
/// be bound.
/// </summary>
internal static class MemoryProbe
{
    /// <exception cref="NumaOptionsException">
    /// A node has no memory; the mode is Strict and its memory cannot be bound; or the provider threw an unexpected exception.
    /// </exception>
    public static void Touch(
        IServiceProvider services, NumaMemoryPools pools, NumaPlan plan, NumaPlatform platform, NumaOptions options)
    {
        var section = services.GetRequiredService<NumaSection>();
        var failures = new List<string>();
        for (var index = 0; index < pools.Count; index++)
        {
            var hasMemory = false;
            try
            {
                pools[index].RentBlock().Dispose();
                hasMemory = true;
                pools[index].Preallocate(options.Memory.PoolSizePerNode);
            }
            catch (OutOfMemoryException exception) when (hasMemory)
            {
                failures.Add(section.Describe(OptionsCrossChecks.NoMemoryForPool(options, exception.Message)));
            }
            catch (Exception exception)
            {
                var failure = MemoryRefusal.Describe(exception, plan, pools[index], platform.Memory, OperatingSystem.IsLinux());
                failures.Add(section.Describe(failure));
            }
        }

        // A failing provider reports the same for every node.
        if (failures.Count > 0)
        {
            throw RefusedStart.Because(services, failures.Distinct(StringComparer.Ordinal));
        }
    }
}
