using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>What the kernel counts, and what happens where it gives little.</summary>
public sealed unsafe class AllocatorSurroundingsTests
{
    private const long Megabyte = 1 << 20;

    [Theory]
    [InlineData(2_000_000)]
    [InlineData(4_000_000)]
    public void AddressSpace_Limited_LeavesRoomForLargeBlocksAndThreads(int kilobytes)
    {
        SkipUnlessLinux();
        var output = MemoryProbeProcess.Run($"ulimit -v {kilobytes}", "use");

        // The runtime takes more than a gigabyte.
        var used = long.Parse(output.Split(' ')[0], CultureInfo.InvariantCulture);
        Assert.True(used > (kilobytes - 1_400_000) / 1024 / 3, output);
        Assert.Contains("node 0", output, StringComparison.Ordinal);
        Assert.Contains("ENOMEM", output, StringComparison.Ordinal);
    }

    [Fact]
    public void AddressSpace_TooLittleForTheNodes_SaysHowMuchItTakes()
    {
        SkipUnlessLinux();
        var output = MemoryProbeProcess.Run("ulimit -v 4000000", "refuse");

        Assert.Contains("no address space: 67108864 bytes for each of 64 nodes", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_LimitedByACgroup_IsChargedWhenItIsTouched()
    {
        SkipUnlessLinux();
        using var group = MemoryCgroup.TryCreate(400 * Megabyte, out var reason);
        Assert.SkipWhen(group is null, reason);
        var output = MemoryProbeProcess.Run($"echo $$ > {group!.Processes}", "charge", "150");

        Assert.Contains("4096 MiB in use, 150 touched", output, StringComparison.Ordinal);
    }

    // Neither RLIMIT_DATA nor vm.overcommit_memory=2 counts what is private, but not writable: proc(5), VmFlags.
    [Fact]
    public void Reservation_UntilItIsCommitted_IsNotAccounted()
    {
        SkipUnlessLinux();
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

    private static void SkipUnlessLinux() => Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc and ulimit are Linux's");

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
