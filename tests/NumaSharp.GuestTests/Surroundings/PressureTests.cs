using NumaSharp.GuestProbe.Pressure;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>A cgroup whose memory is short.</summary>
public sealed class PressureTests : ThreeNodeTests, IDisposable
{
    private const string Root = "/sys/fs/cgroup";
    private const long MiB = 1 << 20;

    private readonly string _folder = $"{Root}/pressure";

    public PressureTests()
    {
        File.WriteAllText($"{Root}/cgroup.subtree_control", "+memory");
        Directory.CreateDirectory(_folder);
    }

    // The kernel's own files in it go with it.
    public void Dispose() => Directory.Delete(_folder);

    // What the pools keep and what the process needs besides is less than the limit, and both with the other part are more.
    [Fact]
    public async Task Pools_TheLimitOfTheCgroupIsMet_GiveBackWhatIsFree()
    {
        await File.WriteAllTextAsync($"{_folder}/memory.high", $"{256 * MiB}", TestContext.Current.CancellationToken);
        var report = await Child.MeasurePressureAsync(_folder);
        Assert.True(report.Before >= 96 * MiB, $"{report}");
        Assert.True(report.After < report.Before / 2, $"{report}");
    }

    [Fact]
    public async Task Pools_NoLimit_KeepWhatIsFree()
    {
        var report = await Child.MeasurePressureAsync(_folder, PressureProbe.AllSteps);
        Assert.Equal(report.Before, report.After);
    }
}
