using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Memory;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class AllocatorSidesTests
{
    private const int Operations = 64;
    private const int Objects = 200_000;
    private const int MissingLibrary = ExitCodes.Failed;

    [Theory]
    [InlineData("ours")]
    [InlineData("mimalloc")]
    [InlineData("NativeMemory")]
    public void Loops_Side_KeepsWhatIsWrittenAndRuns(string label)
    {
        var side = label == "ours" ? AllocatorSides.Ours : AllocatorSides.Peers.Single(peer => peer.Label == label).Side;
        Assert.SkipUnless(side.Library is not { IsInstalled: false }, $"needs the Debian package {side.Library?.Package}");

        side.Verify();
        side.Single(8, Operations);
        side.Nested(4096, Operations);

        Assert.NotEmpty(side.Name);
    }

    [Theory]
    [InlineData("ours")]
    [InlineData("mimalloc")]
    public async Task ResidentMemory_Side_IsAboutWhatLives(string side)
    {
        var expected = MixedSizesTests.Some().Average() * Objects;
        var assembly = typeof(ResidentCommand).Assembly.Location;
        var info = new ProcessStartInfo(
            Executables.DotnetHost, [assembly, .. ResidentCommand.Arguments(side, Objects)]);
        using var process = ChildProcess.Start(info, cpu: null);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).Within();
        Assert.SkipWhen(
            process.ExitCode == MissingLibrary && process.LastWords.Contains("apt-get install", StringComparison.Ordinal),
            process.LastWords);

        Assert.True(process.ExitCode == ExitCodes.Completed, process.LastWords);
        var report = ResidentReport.Parse(process.Output);
        Assert.True(
            report.Live > expected / 2,
            string.Create(CultureInfo.InvariantCulture, $"{report.Live} of {expected} bytes"));
    }
}
