using System.Globalization;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The heap may grow beyond the container's memory limit.</summary>
internal sealed class GcMemoryLimitCheck() : DoctorCheck("gc-memory-limit")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Gc.Number("GCHeapHardLimit", "HeapHardLimit") is { Value: > 0 } heap
            && FindLimit(patient) is var (file, limit) && heap.Value > limit)
        {
            yield return Found(
                Severity.Error,
                $"The heap may take {SizeText.Format(heap.Value)}, the container {SizeText.Format(limit)}: the kernel ends the "
                + "process before the collector hurries.",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"DOTNET_GCHeapHardLimit={limit / 4 * 3:x} (hexadecimal) leaves a quarter for the pools, or leave it out."),
                heap.Evidence,
                new Evidence($"/{file}", $"{limit}"));
        }
    }

    // The smallest limit of the cgroup and its ancestors; "max" and the like are not numbers, hence no limits.
    private static (string File, long Limit)? FindLimit(Patient patient) => CgroupFolders.OfSelf(patient.Files)
        .Find(CgroupFolders.Memory)
        .SelectMany(static folder => CgroupFolders.MemoryLimits.Select(name => $"{folder}/{name}"))
        .Select(file => (File: file, Limit: patient.Files.ReadNumber(file)))
        .Where(static found => found.Limit is > 0)
        .Select(static found => ((string File, long Limit)?)(found.File, found.Limit!.Value))
        .MinBy(static found => found!.Value.Limit);
}
