using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class LookTests
{
    [Fact]
    public async Task MeasureAsync_Rows_AreFiguresOfOneMeasurement()
    {
        var measured = 0;
        var look = new Look<double>(
            [
                LookRow<double>.Limit("limit", static found => found, 20, "ms", goal: 0.5),
                LookRow<double>.Limit("zero", static found => found - 5, 0, "bytes"),
                new("peer", default, static found => BenchmarkRow.Cost("peer", "other", found, 10, "ms", default)),
            ],
            (_, _) =>
            {
                measured++;
                return Task.FromResult(5.0);
            });
        var rows = new List<MeasuredRow>();

        await look.MeasureAsync(ContestLengths.Quick, rows.Add, TestContext.Current.CancellationToken);

        Assert.Equal(1, measured);
        Assert.Equal([("limit", 0.25), ("zero", 0), ("peer", 0.5)], rows.Select(
            static measured => (measured.Row.Name, measured.Row.Ratio)));
        Assert.Equal(look.Rows.Select(static row => row.Target), rows.Select(static measured => measured.Row.Target));
        Assert.Equal("zero", Assert.Single(look.Where(static name => name == "zero")!.Rows).Name);
        Assert.Null(look.Where(static _ => false));
    }
}
