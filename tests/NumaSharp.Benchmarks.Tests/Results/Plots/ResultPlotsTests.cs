using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results.Plots;

namespace NumaSharp.Benchmarks.Tests.Results.Plots;

public sealed class ResultPlotsTests
{
    [Fact]
    public void Of_Latency_HasBothPercentilesOfTheDefaultDispatch()
    {
        var picture = Draw(
            BenchmarkKinds.Http,
            "latency.svg",
            MadeUp.Row("ping p50", 0.5, unit: "ms"),
            MadeUp.Row("ping p99-256", 0.5, unit: "ms"),
            MadeUp.Row("ping p99.9", 0.5, unit: "ms"),
            MadeUp.Row("ping p99 node", 0.5, unit: "ms"),
            MadeUp.Row("one blocks p99.9", 0.5, unit: "ms"),
            MadeUp.Row("ping cpu", 0.5));

        Assert.Equal(["ping p50", "ping p99-256"], picture.Rows.Select(static row => row.Texts.First()));
        Assert.All(picture.Rows, static row => Assert.True(row.MarkOf("s0") < row.MarkOf("s1")));
        Assert.Equal("ping p50, ms: ours 5, peer 10", picture.Rows[0].Title);
    }

    [Fact]
    public void Of_Memory_HasASectionPerUnit()
    {
        var picture = Draw(
            BenchmarkKinds.Http,
            "memory-of-connections.svg",
            MadeUp.Row("10k idle resident", 0.5, unit: "MB"),
            MadeUp.Row("10k idle heap", 0.5, unit: "B/connection"),
            MadeUp.Row("ping bytes", 0.5, unit: "B/request"));

        Assert.Equal(["10k idle resident", "10k idle heap"], picture.Rows.Select(static row => row.Texts.First()));
    }

    [Fact]
    public void Of_AllocatorSizes_HasALanePerSizeWithAllSides()
    {
        var picture = Draw(
            BenchmarkKinds.Memory,
            "allocator-sizes.svg",
            MadeUp.Row("alloc 64B vs mimalloc", 0.5),
            MadeUp.Row("alloc 64B vs jemalloc", 0.25),
            MadeUp.Row("alloc 4K vs jemalloc", 2),
            MadeUp.Row("bulk 1000 4K vs mimalloc", 2));

        Assert.Equal(["64B", "4K"], picture.Rows.Select(static row => row.Texts.First()));
        Assert.Equal("64B, us/request: ours 5, mimalloc 10, jemalloc 10", picture.Rows[0].Title);
        Assert.Equal("4K, us/request: ours 20, jemalloc 10", picture.Rows[1].Title);
        Assert.False(picture.Rows[1].Has("s1"));
    }

    [Fact]
    public void Of_Udp_HasTheSidesOfALoadInOneLane()
    {
        var picture = Draw(
            BenchmarkKinds.Udp,
            "udp.svg",
            MadeUp.Row("flood 64 cpu ours vs pooled", 0.5),
            MadeUp.Row("flood 64 cpu ours-offload vs ours", 0.1),
            MadeUp.Row("flood 64 rate ours vs pooled", 0.5),
            MadeUp.Row("rate 20k 64 cpu ours vs tuned", 0.5));

        Assert.Equal(
            [
                "flood 64, us/request: ours 5, pooled 10, ours-offload 1",
                "rate 20k 64, us/request: ours 5, tuned 10",
            ],
            picture.Rows.Select(static row => row.Title));
    }

    [Fact]
    public void Of_KindsWithoutSuchRows_HaveTheirRatiosAlone() => Assert.Equal(
        BenchmarkKinds.All.Select(static kind => $"ratios-{kind}.svg"),
        ResultPlots.Of(MadeUp.Of([.. BenchmarkKinds.All.Select(static kind => MadeUp.Kind(kind, MadeUp.Row("other", 1)))]))
            .Select(static plot => plot.FileName));

    private static Picture Draw(string kind, string file, params MeasuredRow[] rows) =>
        new(ResultPlots.Of(MadeUp.Of(MadeUp.Kind(kind, rows))).Single(plot => plot.FileName == file).Svg);
}
