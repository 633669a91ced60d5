using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ConnectionTableTests
{
    [Fact]
    public void Write_RowsOfSeveralNumbersOfConnections_AreALineEachWithBoldMisses() => Assert.Equal(
        [
            "| CPU per request against Kestrel's default sockets, by connections | 64 | 256 | 512 |",
            "|---|---|---|---|",
            "| [`ping cpu`](guide.md#rows-of-http) | 0.58 | **0.61** | 0.60 |",
            "| [`post-512 cpu`](guide.md#rows-of-http) | 1.20 |  | 0.64 |",
        ],
        ConnectionTable.Write(
            [
                MadeUp.Row("ping cpu", 0.58, required: 0.6),
                MadeUp.Row("ping cpu-256", 0.6051, required: 0.6),
                MadeUp.Row("ping cpu-512", 0.5999, required: 0.6),
                MadeUp.Row("ping cpu node", 0.9, required: 0.9),
                MadeUp.Row("post-512 cpu", 1.2),
                MadeUp.Row("post-512 cpu-512", 0.64),
                MadeUp.Row("tls-4k cpu", 0.8),
                MadeUp.Row("ping rate-256", 0.5),
            ],
            "guide.md"));

    [Fact]
    public void Write_OneNumberOfConnections_HasNoTable() =>
        Assert.Empty(ConnectionTable.Write([MadeUp.Row("ping cpu", 1), MadeUp.Row("get-4k cpu", 1)], "guide.md"));

    [Fact]
    public void Of_Rows_CountsThoseWithARequirement() => Assert.Equal(
        new RequirementCount(Missed: 1, Rows: 2),
        RequirementCount.Of(
            [MadeUp.Row("met", 0.5, required: 0.5), MadeUp.Row("late", 0.51, required: 0.5), MadeUp.Row("free", 9)]));

    [Fact]
    public void Page_OfHttp_HasTheTableBeforeItsRows()
    {
        var text = ResultMarkdown.Write(
            MadeUp.Of(MadeUp.Kind("http", MadeUp.Row("ping cpu", 0.58), MadeUp.Row("ping cpu-256", 0.6))), []);

        Assert.Contains(
            "\nhow\n\n| CPU per request against Kestrel's default sockets, by connections | 64 | 256 | 512 |\n",
            text,
            StringComparison.Ordinal);
        Assert.Contains(
            "\n| [`ping cpu`](../guide/benchmarks.md#rows-of-http) | 0.58 | 0.60 |  |\n\n| row |",
            text,
            StringComparison.Ordinal);
    }
}
