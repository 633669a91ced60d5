namespace NumaSharp.Plugins.Windows.Tests.Wine;

/// <summary>The providers on a Windows, as far as Wine is one.</summary>
[Trait("tier", "deep")]
public sealed class WineTests
{
    [Fact]
    public async Task Probe_UnderWine_FindsEverythingAsItMustBe()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Wine runs the Windows build on Linux.");
        Assert.SkipWhen(Wine.Executable is null, "Wine is not installed (Debian: apt-get install wine64).");
        var program = await Wine.BuildProbeAsync();
        await using var wine = new Wine();
        await wine.SkipUnlessItStartsAsync();
        var (exitCode, output) = await (Wine.IsToldOfCaches ? wine.RunAsync(program) : wine.RunAsync(program, "no-caches"));
        TestContext.Current.TestOutputHelper?.WriteLine(output);

        Assert.True(exitCode == 0, $"It ended with {exitCode}: {output}");
        Assert.Matches(@"node 0: Normal, CPUs \S+", output);
        Assert.Matches(@"processor group 0: CPUs \S+", output);
        Assert.Contains("pinned to CPU 0: ok; may run on 0, runs on CPU 0 of node 0: ok", output, StringComparison.Ordinal);
        Assert.Matches(@"reserved 4 MiB at [0-9a-f]+, preferred: ok, untouched on no node, touched on node 0: ok", output);
        Assert.Matches(@"NUMA: 1 node \(Windows\), .* Transport: Kestrel's own\.", output);
        Assert.Matches(@"== \d+ checks passed, 0 failed", output);
    }
}
