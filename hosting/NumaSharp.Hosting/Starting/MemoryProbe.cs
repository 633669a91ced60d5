using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Starting;

/// <summary>Takes the first memory of every node at start: whether it can be bound shows only then.</summary>
internal static class MemoryProbe
{
    /// <exception cref="NumaOptionsException">Strict, and a node's memory cannot be bound.</exception>
    public static void Touch(NumaMemoryPools pools, NumaPlan plan, NumaSection section)
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
                failures.Add(new SettingFailure("Binding:Mode", plan.BindMode.ToString(), exception.Message).ToText(section.Prefix));
            }
        }

        if (failures.Count > 0)
        {
            throw RefusedStart.Because(failures);
        }
    }
}
