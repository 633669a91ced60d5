using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>Fills a process with live objects, all of their bytes written, and frees them.</summary>
internal static unsafe class ResidentProbe
{
    // /proc/self/statm counts per CPU and lags behind; this walks the page tables.
    private const string Key = "Rss:";

    public static ResidentReport Measure<TBlocks>(int objects, Action trim)
        where TBlocks : struct, IBlocks<TBlocks>
    {
        // The list of addresses must not count: it is allocated and touched before the first reading.
        var pointers = (void**)NativeMemory.Alloc((nuint)objects, (nuint)sizeof(void*));
        NativeMemory.Fill(pointers, (nuint)objects * (nuint)sizeof(void*), 1);
        var blocks = TBlocks.Open();
        trim();
        ReadResidentBytes();
        var before = ReadResidentBytes();
        Allocate(blocks, pointers, objects);
        var live = ReadResidentBytes();
        for (var i = 0; i < objects; i++)
        {
            blocks.Free(pointers[i]);
        }

        var freed = ReadResidentBytes();
        trim();
        var report = new ResidentReport(live - before, freed - before, ReadResidentBytes() - before);
        NativeMemory.Free(pointers);
        // Last: memory that it frees would be reused for the objects.
        new AllocatorLoops<TBlocks>().Verify();
        return report;
    }

    /// <summary>Resident memory of this process in bytes.</summary>
    public static long ReadResidentBytes() => ReadResidentBytes(Environment.ProcessId);

    /// <summary>Resident memory of another process in bytes.</summary>
    public static long ReadResidentBytes(int processId)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/smaps_rollup");
        var line = File.ReadLines(path).FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{path} has no {Key}");
        return long.Parse(line.AsSpan(Key.Length).Trim().TrimEnd("kB "), CultureInfo.InvariantCulture) * 1024;
    }

    private static void Allocate<TBlocks>(TBlocks blocks, void** pointers, int objects)
        where TBlocks : struct, IBlocks<TBlocks>
    {
        var random = Xorshift.Seed;
        for (var i = 0; i < objects; i++)
        {
            random = Xorshift.Next(random);
            var size = (nuint)MixedSizes.Of(random);
            pointers[i] = blocks.Allocate(size);
            NativeMemory.Fill(pointers[i], size, 1);
        }
    }
}
