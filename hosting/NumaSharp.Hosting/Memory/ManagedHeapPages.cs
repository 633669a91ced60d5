using System.Collections.Immutable;
using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// How much of the garbage collector's heap is on each node, as the kernel counts it (<c>/proc/self/numa_maps</c>, numa(7)). The
/// kernel walks all page tables of the process for that, during which nothing else maps or unmaps memory: so it is read once a
/// minute at most, and for at most a ten thousandth of the time. Nothing if the nodes are not this machine's, if the kernel does
/// not count, or where the heap is not one range of regions. Thread-safe.
/// </summary>
internal sealed class ManagedHeapPages
{
    // A collection that wants memory meanwhile waits for the kernel, with all threads stopped.
    private const int LeastShare = 10_000;

    private const string PageSize = "kernelpagesize_kB=";

    private static readonly TimeSpan s_leastInterval = TimeSpan.FromMinutes(1);

    // Never moves.
    private static readonly byte[] s_anObject = GC.AllocateUninitializedArray<byte>(1, pinned: true);

    private readonly TimedReading<ImmutableArray<HeapOnNode>>? _reading;
    private readonly string? _folder;
    private readonly TimeProvider _time;

    // Of the thread that reads; others only ask how long the interval is.
    private (ulong Start, ulong End)? _range;
    private TimeSpan _interval = s_leastInterval;

    /// <param name="folder">What the kernel says of this process; <see langword="null"/> for nothing to say.</param>
    /// <param name="time">The clock.</param>
    public ManagedHeapPages(string? folder, TimeProvider? time)
    {
        _time = time ?? TimeProvider.System;
        _folder = folder;
        _reading = folder is not null && File.Exists(NumaMapsOf(folder))
            ? new TimedReading<ImmutableArray<HeapOnNode>>([], (_, _) => Measure(), () => _interval, _time)
            : null;
    }

    public static ManagedHeapPages Of(NumaPlatform platform, NumaOptions options, TimeProvider? time) => new(
        PlatformSelector.IsOfThisLinux(platform.Topology, options.Topology) ? "/proc/self" : null, time);

    /// <summary>
    /// The size of the range that this process's collector has reserved for its regions (gcconfig.h in the runtime); 0 if it has
    /// none.
    /// </summary>
    public static long RangeBytes =>
        GC.GetConfigurationVariables().GetValueOrDefault("GCRegionRange") is long and > 0 and var size ? size : 0;

    /// <summary>The nodes that have a part of it.</summary>
    public IReadOnlyList<HeapOnNode> Read() => _reading is null ? [] : _reading.Read();

    /// <summary>Adds up the pages of a range.</summary>
    /// <param name="numaMaps">The lines of <c>numa_maps</c>, by address.</param>
    /// <param name="range">The addresses.</param>
    public static ImmutableArray<HeapOnNode> Sum(IEnumerable<string> numaMaps, (ulong Start, ulong End) range)
    {
        var bytes = new SortedDictionary<int, long>();
        foreach (var line in numaMaps)
        {
            // Most lines of most processes are not of the range.
            var space = line.IndexOf(' ', StringComparison.Ordinal);
            if (space < 0
                || !ulong.TryParse(line.AsSpan(0, space), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var start)
                || start < range.Start)
            {
                continue;
            }

            if (start >= range.End)
            {
                break;
            }

            // 7f2c4d400000 prefer:1 anon=32 dirty=32 N0=1 N1=31 kernelpagesize_kB=4
            var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            var pageBytes = words.Select(static word => NumberAfter(PageSize, word)).Max() << 10;
            foreach (var word in words)
            {
                if (word[0] == 'N' && word.IndexOf('=', StringComparison.Ordinal) is > 1 and var equals
                    && int.TryParse(word.AsSpan(1, equals - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var node))
                {
                    bytes[node] = bytes.GetValueOrDefault(node) + (NumberFrom(equals + 1, word) * pageBytes);
                }
            }
        }

        return [.. bytes.Select(static node => new HeapOnNode(new(node.Key), node.Value))];
    }

    private static long NumberAfter(string start, string word) =>
        word.StartsWith(start, StringComparison.Ordinal) ? NumberFrom(start.Length, word) : 0;

    private static long NumberFrom(int position, string word) =>
        long.TryParse(word.AsSpan(position), NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0;

    private static string NumaMapsOf(string folder) => Path.Join(folder, "numa_maps");

    private ImmutableArray<HeapOnNode> Measure()
    {
        var start = _time.GetTimestamp();
        try
        {
            _range ??= FindRange();
            return _range is { } range ? Sum(File.ReadLines(NumaMapsOf(_folder!)), range) : [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A container may hide what it has shown before.
            return [];
        }
        finally
        {
            _interval = TimeSpan.FromTicks(
                Math.Max(s_leastInterval.Ticks, _time.GetElapsedTime(start).Ticks * LeastShare));
        }
    }

    // It never moves.
    private (ulong Start, ulong End)? FindRange()
    {
        var size = RangeBytes;
        if (size == 0)
        {
            return null;
        }

        // What it has committed is known from its first collection on.
        long? committed = GC.CollectionCount(0) == 0 ? null : Math.Max(
            GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes, GC.GetTotalMemory(forceFullCollection: false));
        var anObject = (ulong)Marshal.UnsafeAddrOfPinnedArrayElement(s_anObject, 0);
        return ManagedHeapRange.Find(
            File.ReadLines(Path.Join(_folder, "maps")), anObject, (ulong)size, (ulong?)committed);
    }
}

/// <summary>A node's part of the garbage collector's heap.</summary>
/// <param name="NodeId">The kernel id of the node.</param>
/// <param name="Bytes">Of resident pages.</param>
internal readonly record struct HeapOnNode(NumaNodeId NodeId, long Bytes);
