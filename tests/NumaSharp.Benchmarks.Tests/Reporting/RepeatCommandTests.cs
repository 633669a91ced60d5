using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Reporting;

public sealed class RepeatCommandTests
{
    private const string Program = "dotnet run -c Release --project playground/Benchmarks --";

    [Theory]
    [InlineData("memory --quick", "memory", "--quick")]
    [InlineData("http --dispatch Node", "http", "--json", "docs/results/http.json", "--dispatch", "Node")]
    [InlineData("udp", "--json=udp.json", "udp")]
    [InlineData("udp --filter 'flood 64'", "udp", "--filter", "flood 64")]
    [InlineData(@"udp --filter 'it'\''s'", "udp", "--filter", "it's")]
    [InlineData("udp --filter ''", "udp", "--filter", "")]
    public void Of_Arguments_RepeatsThemForTheShellWithoutTheFile(string expected, params string[] arguments) =>
        Assert.Equal($"{Program} {expected}", RepeatCommand.Of(arguments));
}
