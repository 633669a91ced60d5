using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.ManagedHeap;

/// <summary>What a host says of the garbage collector's settings, as the collector has understood them.</summary>
public sealed class ManagedHeapReportTests : ThreeNodeTests
{
    private const string Server = "DOTNET_gcServer=1";
    private const string DatasOff = "DOTNET_GCDynamicAdaptationMode=0";

    [Theory]
    [InlineData("uses the workstation GC", "DOTNET_gcServer=0")]
    [InlineData("adds heaps as the load grows", Server)]
    [InlineData("heaps are on CPUs 0-1: threads of node 1 ", Server, "DOTNET_GCHeapCount=2")]
    [InlineData("in place of DOTNET_GCHeapCount", Server, "DOTNET_GCHeapCount=2")]
    [InlineData("heaps are on CPUs 0: threads of node 1 ", Server, DatasOff, "DOTNET_PROCESSOR_COUNT=2", "DOTNET_GCHeapCount=1")]
    [InlineData("The runtime counts fewer CPUs", Server, DatasOff, "DOTNET_PROCESSOR_COUNT=2")]
    [InlineData("heaps are on CPUs 2-3: threads of node 0 ", Server, DatasOff, "DOTNET_GCHeapAffinitizeRanges=2-3")]
    [InlineData("Remove DOTNET_GCNoAffinitize", Server, DatasOff, "DOTNET_GCNoAffinitize=1")]
    [InlineData("Set DOTNET_GCHeapAffinitizeRanges=0-3", Server, DatasOff, "DOTNET_GCHeapHardLimit=20000000")]
    [InlineData(null, Server, DatasOff, "DOTNET_GCHeapHardLimit=20000000", "DOTNET_GCHeapAffinitizeRanges=0-3")]
    [InlineData(null, Server, DatasOff)]
    public async Task Host_SettingOfTheCollector_IsNamedIfItPutsObjectsElsewhere(string? said, params string[] settings)
    {
        var report = await Child.ProbeWithAsync(
            [.. settings.Select(static setting => setting.Split('=')).Select(static pair => (pair[0], pair[1]))]);
        if (said is null)
        {
            Assert.Null(report.ManagedHeap);
        }
        else
        {
            Assert.Contains(said, report.ManagedHeap, StringComparison.Ordinal);
        }
    }
}
