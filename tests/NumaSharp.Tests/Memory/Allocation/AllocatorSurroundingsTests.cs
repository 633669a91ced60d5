using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>What the kernel counts, and what happens where it gives little.</summary>
public sealed class AllocatorSurroundingsTests
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

        Assert.Contains("it needs at least 67108864 bytes for each of 64 nodes", output, StringComparison.Ordinal);
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

    private static void SkipUnlessLinux() => Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc and ulimit are Linux's");
}
