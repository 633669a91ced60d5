using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>
/// Finds how much memory the cgroup of this process leaves it (cgroup-v2.rst, "Memory"; cgroup-v1/memory.rst). Every
/// ancestor's limit holds, too.
/// </summary>
internal sealed class MemoryLimitReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Unlimited = "max";

    // Version 1 reports "no limit" as the most pages that its counter can hold (page_counter.h), of up to 64 KiB.
    private const long UnlimitedBytes = long.MaxValue & ~0xFFFFL;

    /// <summary>The smallest limit in bytes; 0 where there is none.</summary>
    public long Read()
    {
        var limits = new CgroupReader(files, warnings, CgroupReader.Memory).FindHierarchies()
            .SelectMany(static found => found.Mount.FoldersOf(found.Path)
                .Select(folder => $"{folder}/{CgroupReader.Memory}.{(found.Mount.IsVersion2 ? "max" : "limit_in_bytes")}"))
            .Select(ReadLimit)
            .ToArray();
        return limits.Where(static limit => limit > 0).DefaultIfEmpty().Min();
    }

    private long ReadLimit(string path)
    {
        var (reader, relative) = files.Resolve(path);
        var reading = reader.Read(relative);
        if (reading.Succeeded && reading.Text == Unlimited)
        {
            return 0;
        }

        if (reading.Succeeded && long.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var limit))
        {
            return limit < UnlimitedBytes ? limit : 0;
        }

        warnings.AddUnlessMissing(reading, "its memory limit is ignored");
        return 0;
    }
}
