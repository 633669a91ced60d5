using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Starting;

/// <summary>Takes the first memory of every node at start: whether it can be bound shows only then.</summary>
internal static class MemoryProbe
{
    /// <exception cref="NumaOptionsException">
    /// Strict, and a node's memory cannot be bound; or the provider threw what none may throw.
    /// </exception>
    public static void Touch(NumaMemoryPools pools, NumaPlan plan, NumaPlatform platform, NumaSection section)
    {
        var failures = new List<string>();
        for (var index = 0; index < pools.Count; index++)
        {
            try
            {
                pools[index].RentBlock().Dispose();
            }
            catch (NumaException exception)
            {
                var failure = new SettingFailure("Binding:Mode", plan.BindMode.ToString(), exception.Message);
                failures.Add(failure.ToText(section.Prefix));
            }
            catch (Exception exception)
            {
                // A provider may be anybody's code; every node would say the same.
                var failure = new SettingFailure(
                    "Memory:Provider",
                    platform.Memory.Name,
                    $"must answer calls; it failed with {exception.GetType().Name}: {exception.Message}");
                failures.Add(failure.ToText(section.Prefix));
                break;
            }
        }

        if (failures.Count > 0)
        {
            throw RefusedStart.Because(failures);
        }
    }
}
