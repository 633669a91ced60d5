using System.Globalization;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The heap may grow beyond the container's memory limit.</summary>
internal sealed class GcMemoryLimitCheck() : DoctorCheck("gc-memory-limit")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Gc.Number("GCHeapHardLimit", "HeapHardLimit") is { Value: > 0 } heap
            && FindLimit(context) is var (file, limit) && heap.Value > limit)
        {
            yield return Found(
                Severity.Error,
                $"The GC heap may grow to {SizeText.Format(heap.Value)}, but the container's limit is "
                + $"{SizeText.Format(limit)}: the kernel kills the process before the GC reaches its limit.",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Set DOTNET_GCHeapHardLimit={limit / 4 * 3:x} (hexadecimal; leaves a quarter to the pools), or remove it."),
                heap.Evidence,
                new Evidence($"/{file}", $"{limit}"));
        }
    }

    // The smallest limit of the cgroup and its ancestors; "max" and the like are not numbers, hence no limits.
    private static (string File, long Limit)? FindLimit(CheckContext context) => CgroupFolders.OfSelf(context.Files)
        .Find(CgroupFolders.Memory)
        .SelectMany(static folder => CgroupFolders.MemoryLimits.Select(name => $"{folder}/{name}"))
        .Select(file => (File: file, Limit: context.Files.ReadNumber(file)))
        .Where(static found => found.Limit is > 0)
        .Select(static found => ((string File, long Limit)?)(found.File, found.Limit!.Value))
        .MinBy(static found => found!.Value.Limit);
}
