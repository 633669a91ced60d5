using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Memory;

/// <summary>Finds the key responsible when a node provides no memory at start, and what to do.</summary>
internal static class MemoryRefusal
{
    /// <summary>The failure for a pool's exception.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="plan">The plan.</param>
    /// <param name="pool">The pool.</param>
    /// <param name="memory">The memory provider.</param>
    /// <param name="isLinux">Whether Linux's limits apply, and seccomp may be the reason of a refusal.</param>
    public static SettingFailure Describe(
        Exception exception, NumaPlan plan, NumaMemoryPool pool, INumaMemoryProvider memory, bool isLinux) => exception switch
        {
            NumaException { Result: { Succeeded: false, Failure: not NumaFailure.OutOfMemory } result } => new SettingFailure(
                "Binding:Mode", plan.BindMode.ToString(), $"{exception.Message} {AdviceFor(result.Failure, isLinux)}"),
            OutOfMemoryException when pool.LimitBytes > 0 && pool.LimitBytes < (long)memory.PageSize => new SettingFailure(
                "Memory:LimitPerNode",
                new SizeFormat(0, long.MaxValue).ToText(pool.LimitBytes),
                $"must be at least one page of the memory provider {memory.Name}, {SizeFormat.Rounded((long)memory.PageSize)}"),
            NumaException { Result.Succeeded: false } or OutOfMemoryException => new SettingFailure(
                "Memory:Provider",
                memory.Name,
                $"{exception.Message} "
                + (isLinux ? FallbackCatalog.MemoryShortage.Remedy : RefusalRemedies.FreeMemory)),
            NumaException => new SettingFailure("Memory:Provider", memory.Name, exception.Message),

            // A provider may be third-party code.
            _ => new SettingFailure(
                "Memory:Provider",
                memory.Name,
                $"must not throw; it failed with {exception.GetType().Name}: {exception.Message}"),
        };

    private static string AdviceFor(NumaFailure failure, bool isLinux) => failure switch
    {
        NumaFailure.NotPermitted when isLinux => $"{RefusalRemedies.AllowMbind} Or set Advisory.",
        NumaFailure.NotSupported => RefusalRemedies.BindAdvisorily,
        NumaFailure.InvalidArgument => $"{RefusalRemedies.NameOtherNodes} Or set Advisory.",
        _ => "Set Advisory to start without.",
    };
}
