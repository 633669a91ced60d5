using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Tests.Core.Affinity;

public sealed class MaskSentinelTests
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);

    private readonly ManualTime _time = new();
    private readonly FakeAffinity _affinity = new();
    private readonly MaskSentinel _sentinel;

    public MaskSentinelTests()
    {
        _sentinel = new MaskSentinel(_affinity, _time);
        _sentinel.Arm(TestMachines.Row(4).Plan());
    }

    // A tool that rewrites masks may be delayed between two threads.
    [Fact]
    public void HasReason_MasksWereRewritten_IsThereAgainEverLaterForAMinute()
    {
        Look(TimeSpan.FromMinutes(5));
        var (thread, mask) = Assert.Single(_affinity.Pinned);
        Assert.Equal("0-2", $"{mask}");
        _affinity.Pinned[thread] = CpuSet.ParseList("0-3");
        Assert.True(_sentinel.HasReason());
        _affinity.Pinned[thread] = mask;

        var reasons = Look(TimeSpan.FromMinutes(5));
        Assert.Equal(s_look, reasons[0]);
        Assert.All(reasons.Zip(reasons.Skip(1)), static pair => Assert.Equal(2 * pair.First, pair.Second));
        Assert.InRange(reasons[^1], TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(2));
    }

    [Fact]
    public void HasReason_LooksAreFarApart_IsThereOnce()
    {
        _time.Advance(TimeSpan.FromMinutes(30));
        Assert.True(_sentinel.HasReason());
        _time.Advance(TimeSpan.FromMinutes(30));
        Assert.False(_sentinel.HasReason());
    }

    private List<TimeSpan> Look(TimeSpan time)
    {
        var reasons = new List<TimeSpan>();
        for (var passed = s_look; passed <= time; passed += s_look)
        {
            _time.Advance(s_look);
            if (_sentinel.HasReason())
            {
                reasons.Add(passed);
            }
        }

        return reasons;
    }
}
