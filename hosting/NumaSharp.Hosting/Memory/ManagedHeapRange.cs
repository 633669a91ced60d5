using System.Globalization;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// Finds the range of addresses that the garbage collector has reserved for its heap. .NET says how large it is (GCRegionRange)
/// and how much of it is in use, not where it is.
/// </summary>
internal static class ManagedHeapRange
{
    // The size of a region is a multiple of it (gc.cpp, initial_regions; 4 MiB if nothing is set).
    private const ulong RegionAlignment = 1 << 20;

    // A mapping without access beside the range, such as the guard page of a stack, is one with it for the kernel.
    private const ulong Slack = 64 << 10;

    // The collector's own tables are not in the range.
    private const ulong LessShare = 4;
    private const ulong LessBytes = 16 << 20;

    // It may have committed more since its last collection, for which it says what it has.
    private const ulong MoreTimes = 4;
    private const ulong MoreBytes = 256 << 20;

    /// <summary>
    /// Regions are taken from the range's beginning, and it is larger than the machine's memory. So most of it is one mapping
    /// without access, which ends with the range; or with what was reserved behind it, and then the range begins with a mapping
    /// in use.
    /// </summary>
    /// <param name="maps">The lines of <c>/proc/PID/maps</c>, proc_pid_maps(5).</param>
    /// <param name="anObject">The address of any object.</param>
    /// <param name="size">Of the range, in bytes.</param>
    /// <param name="committed">
    /// About how much of it is in use, in bytes; <see langword="null"/> if unknown: then only what can be no other is the range.
    /// </param>
    /// <returns>The range; <see langword="null"/> if none fits.</returns>
    public static (ulong Start, ulong End)? Find(IEnumerable<string> maps, ulong anObject, ulong size, ulong? committed)
    {
        var chain = ChainAround(anObject, maps);
        if (chain.Count == 0 || size == 0)
        {
            return null;
        }

        var (first, last) = (chain[0].Start, chain[^1].End);
        var used = UsedBefore(chain);
        var byEnd = chain
            .Where(each => !each.IsUsed && each.Start > anObject && each.End - first + Slack >= size)
            .OrderByDescending(static each => each.End - each.Start)
            .Select(each => each.End - size)
            .Where(each => each <= anObject);
        var byStart = chain
            .Where(each => each.IsUsed && each.Start % RegionAlignment == 0)
            .Select(static each => each.Start)
            .Where(each => each <= anObject && anObject < each + size && each + size <= last + Slack)
            .OrderBy(each => Math.Abs((long)InUse(each) - (long)(committed ?? 0)));
        ulong[] starts = [.. byEnd.Concat(byStart).Distinct()];
        if (committed is { } expected)
        {
            starts = [.. starts.Where(each => IsAbout(InUse(each), expected)).Take(1)];
        }

        return starts is [var start] ? (start - Math.Min(start, Slack), start + size) : null;

        ulong InUse(ulong start) => UsedBelow(chain, used, start + size) - UsedBelow(chain, used, start);
    }

    private static bool IsAbout(ulong bytes, ulong committed) =>
        bytes + LessBytes >= committed - (committed / LessShare) && bytes <= (committed * MoreTimes) + MoreBytes;

    // The mappings without a name, each next to the one before, that have the object.
    private static List<Mapping> ChainAround(ulong anObject, IEnumerable<string> maps)
    {
        var chain = new List<Mapping>();
        foreach (var line in maps)
        {
            var next = Mapping.Parse(line);
            if (next is { } again && chain.Count > 0 && again.Start >= chain[0].Start && again.Start < chain[^1].End)
            {
                // The kernel writes a page of lines at a time. A mapping that has grown or shrunk in between comes again.
                chain.RemoveAll(each => each.Start >= again.Start);
                if (chain.Count > 0)
                {
                    chain[^1] = chain[^1] with { End = again.Start };
                }

                chain.Add(again);
                continue;
            }

            if (chain.Count > 0 && next?.Start != chain[^1].End)
            {
                if (chain[^1].End > anObject)
                {
                    break;
                }

                chain.Clear();
            }

            if (next is { } mapping)
            {
                chain.Add(mapping);
            }
        }

        return chain.Count > 0 && chain[0].Start <= anObject && anObject < chain[^1].End ? chain : [];
    }

    private static ulong[] UsedBefore(List<Mapping> chain)
    {
        var used = new ulong[chain.Count];
        for (var i = 1; i < chain.Count; i++)
        {
            used[i] = used[i - 1] + (chain[i - 1].IsUsed ? chain[i - 1].End - chain[i - 1].Start : 0);
        }

        return used;
    }

    private static ulong UsedBelow(List<Mapping> chain, ulong[] used, ulong address)
    {
        var index = chain.BinarySearch(new Mapping(address, 0, false), Mapping.ByStart);
        index = index < 0 ? ~index - 1 : index;
        return index < 0 ? 0
            : used[index] + (chain[index].IsUsed ? Math.Min(address, chain[index].End) - chain[index].Start : 0);
    }

    private readonly record struct Mapping(ulong Start, ulong End, bool IsUsed)
    {
        public static IComparer<Mapping> ByStart { get; } =
            Comparer<Mapping>.Create(static (one, other) => one.Start.CompareTo(other.Start));

        // 7f3f63000000-7f3f634c7000 rw-p 00000000 00:00 0                          [name]
        public static Mapping? Parse(string line)
        {
            var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return words is [var range, ['r', 'w', '-', 'p'] or ['-', '-', '-', 'p'], _, _, "0"]
                && range.Split('-') is [var start, var end]
                && TryParse(start, out var from) && TryParse(end, out var to)
                    ? new Mapping(from, to, words[1][0] == 'r')
                    : null;
        }

        private static bool TryParse(string hex, out ulong address) =>
            ulong.TryParse(hex, NumberStyles.HexNumber, CultureInfo.InvariantCulture, out address);
    }
}
