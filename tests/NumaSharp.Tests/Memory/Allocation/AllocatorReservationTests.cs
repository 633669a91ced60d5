using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// What the kernel counts of an allocator's address space. Alone: the kernel merges mappings that are alike and touch each other,
/// so those of another allocator could become one with these.
/// </summary>
[Collection(nameof(Alone))]
public sealed unsafe class AllocatorReservationTests
{
    private const long Megabyte = 1 << 20;

    // Neither RLIMIT_DATA nor vm.overcommit_memory=2 counts what is private, but not writable: proc(5), VmFlags.
    [Fact]
    public void Reservation_UntilItIsCommitted_IsNotAccounted()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is Linux's");
        var memory = new FaultyMemoryProvider();
        using var allocator = new NumaAllocator(TestMachines.WithIds(0, 1).Plan(), new NumaAllocatorOptions { Memory = memory });
        var block = (nint)allocator.Allocate(64);
        var inUse = MappingOf(block);
        var reserved = MappingOf(inUse.End);

        Assert.Equal(("rw-p", Megabyte), (inUse.Access, inUse.End - inUse.Start));
        Assert.Equal("---p", reserved.Access);
        Assert.InRange(reserved.End - reserved.Start, 32L << 30, long.MaxValue);
        Assert.DoesNotContain("ac", reserved.Flags);
        Assert.DoesNotContain("wr", reserved.Flags);
        Assert.Equal(0, reserved.ResidentBytes);
        if (File.ReadAllText("/proc/sys/vm/overcommit_memory").Trim() != "2")
        {
            Assert.Contains("nr", reserved.Flags);
            Assert.DoesNotContain("ac", inUse.Flags);
        }

        allocator.Free((void*)block);
        allocator.Trim();
        Assert.Equal(0, MappingOf(block).ResidentBytes);
    }

    private static Mapping MappingOf(nint address)
    {
        Mapping? found = null;
        foreach (var line in File.ReadLines("/proc/self/smaps"))
        {
            var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words[0][^1] != ':')
            {
                if (found is not null)
                {
                    break;
                }

                var range = Array.ConvertAll(words[0].Split('-'), static text => (nint)Convert.ToInt64(text, 16));
                found = range[0] <= address && address < range[1] ? new Mapping(range[0], range[1], words[1], 0, []) : null;
            }
            else if (found is not null && words[0] == "Rss:")
            {
                found = found with { ResidentBytes = 1024 * long.Parse(words[1], CultureInfo.InvariantCulture) };
            }
            else if (found is not null && words[0] == "VmFlags:")
            {
                found = found with { Flags = words[1..] };
            }
        }

        Assert.NotNull(found);
        return found;
    }

    private sealed record Mapping(nint Start, nint End, string Access, long ResidentBytes, string[] Flags);
}
