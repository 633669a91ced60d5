using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Reporting;

public sealed class RowTableTests
{
    [Fact]
    public void Format_MissedOnATerminal_IsRed() =>
        Assert.StartsWith("\e[31m", RowTable.Format(Row(0.4), 0.02, colour: true), StringComparison.Ordinal);

    [Fact]
    public void Format_MetOnATerminal_IsGreen() =>
        Assert.StartsWith("\e[32m", RowTable.Format(Row(0.6), 0.02, colour: true), StringComparison.Ordinal);

    [Fact]
    public void Format_MissedInAFile_SaysItInWordsWithoutEscapes()
    {
        var line = RowTable.Format(Row(0.4), 0.02, colour: false);

        Assert.Contains("MISSED", line, StringComparison.Ordinal);
        Assert.DoesNotContain('\e', line);
    }

    [Fact]
    public void Format_WithoutRequirement_GivesNoVerdict()
    {
        var line = RowTable.Format(BenchmarkRow.Rate("ping rate", "p", 1, 1, "requests/s", default), null, colour: true);

        Assert.DoesNotContain("ok", line, StringComparison.Ordinal);
        Assert.DoesNotContain("MISSED", line, StringComparison.Ordinal);
        Assert.DoesNotContain('\e', line);
    }

    private static BenchmarkRow Row(double required) =>
        BenchmarkRow.Cost("ping cpu", "p", 1, 2, "us/request", new RowTarget(required, null));
}
