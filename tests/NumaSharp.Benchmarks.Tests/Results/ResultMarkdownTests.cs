using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ResultMarkdownTests
{
    [Fact]
    public void Write_Misses_AreListedBeforeTheRows()
    {
        var text = ResultMarkdown.Write(
            MadeUp.Of(
                MadeUp.Kind("pool", MadeUp.Row("met", 0.5, required: 0.5), MadeUp.Row("free", 9)),
                MadeUp.Kind("udp", MadeUp.Row("late", 0.5001, required: 0.5, spread: 0.25))),
            []);
        var part = text[
            text.IndexOf("## Missed", StringComparison.Ordinal)..text.IndexOf("## Machine", StringComparison.Ordinal)];

        Assert.Contains("Missed: 1 of 2 requirements.", part, StringComparison.Ordinal);
        Assert.Equal(
            "| udp | [`late`](../guide/benchmarks.md#rows-of-udp) | 0.5001 | 25 % | 0.50 | 5 | 10 | us/request | peer |",
            part.TrimEnd().Split('\n')[^1]);
        Assert.DoesNotContain("`met`", part, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_LimitsOfTheResults_AreTheFirstSection()
    {
        var text = ResultMarkdown.Write(MadeUp.Of(MadeUp.Kind("pool", MadeUp.Row("single", 1))), []);

        Assert.Equal(
            ["## What these results do not show", "## Missed requirements", "## Machine and commands", "## pool"],
            text.Split('\n').Where(static line => line.StartsWith("## ", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("a|b", @"`a\|b`")]
    [InlineData("a`b", "`` a`b ``")]
    [InlineData("a``b`", "``` a``b` ```")]
    [InlineData("a\nb", "`a b`")]
    public void Code_Text_IsOneCodeSpanInATable(string text, string expected) => Assert.Equal(expected, MarkdownText.Code(text));

    [Theory]
    [InlineData("a|b<c>[d](e)", @"a\|b\<c\>\[d\](e)")]
    [InlineData("*a* _b_ `c` \\d ~e~ &amp; #f", @"\*a\* \_b\_ \`c\` \\d \~e\~ \&amp; \#f")]
    [InlineData("a\r\nb", "a b")]
    public void Plain_Text_HasNoMarkup(string text, string expected) => Assert.Equal(expected, MarkdownText.Plain(text));

    [Theory]
    [InlineData(0, "0")]
    [InlineData(0.12345, "0.1235")]
    [InlineData(9.876, "9.88")]
    [InlineData(123.45, "123.5")]
    [InlineData(1234567, "1,234,567")]
    public void Figure_Value_HasAboutFourDigits(double value, string expected) =>
        Assert.Equal(expected, FigureText.Figure(value));
}
