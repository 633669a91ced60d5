using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Benchmarks.Tests.Http.Load;

public sealed class H2LoadOutputTests
{
    private const string CleanRequests =
        "requests: 1500 total, 1600 started, 1500 done, 1500 succeeded, 0 failed, 0 errored, 0 timeout";

    private const string CleanStatuses = "status codes: 1500 2xx, 0 3xx, 0 4xx, 0 5xx";
    private const string CleanRates = "req/s           :     120.10      140.00      130.00        2.10    68.75%";

    [Fact]
    public void Parse_CleanRun_HasItsRequests() => Assert.Equal(1500, Parse().Requests);

    [Theory]
    [InlineData("requests: 9 total, 9 started, 9 done, 0 succeeded, 9 failed, 0 errored, 0 timeout", "9 failed")]
    [InlineData("requests: 9 total, 9 started, 9 done, 8 succeeded, 0 failed, 1 errored, 0 timeout", "1 errored")]
    [InlineData("requests: 9 total, 9 started, 9 done, 7 succeeded, 0 failed, 0 errored, 2 timeout", "2 timeout")]
    [InlineData("requests: 0 total, 0 started, 0 done, 0 succeeded, 0 failed, 0 errored, 0 timeout", "no request")]
    public void Parse_RunWithErrors_NamesThem(string requests, string expected) =>
        Assert.Contains(expected, Assert.Throws<BenchmarkException>(() => Parse(requests)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("status codes: 1500 2xx, 1 3xx, 0 4xx, 0 5xx")]
    [InlineData("status codes: 1500 2xx, 0 3xx, 20 4xx, 0 5xx")]
    [InlineData("status codes: 1500 2xx, 0 3xx, 0 4xx, 300 5xx")]
    [InlineData("status codes: 1499 2xx, 0 3xx, 0 4xx, 0 5xx")]
    public void Parse_OtherStatuses_ShowsThem(string statuses) => Assert.Contains(
        statuses, Assert.Throws<BenchmarkException>(() => Parse(statuses: statuses)).Message, StringComparison.Ordinal);

    [Fact]
    public void Parse_StatusOfARequestThatTheEndCutOff_IsNoError() =>
        Assert.Equal(1500, Parse(statuses: "status codes: 1501 2xx, 0 3xx, 0 4xx, 0 5xx").Requests);

    [Fact]
    public void Parse_ClientWithoutARequest_IsRefused() => Assert.Throws<BenchmarkException>(
        () => Parse(rates: "req/s           :       0.00      140.00      130.00        2.10    68.75%"));

    [Fact]
    public void Parse_OtherText_ShowsIt()
    {
        var failure = Assert.Throws<BenchmarkException>(() => H2LoadOutput.Parse(["unrecognized option"]));

        Assert.Contains("unrecognized option", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ReadLatency_Log_IsThatOfTheThirdColumn() => Assert.Equal(
        new Latency(0.5, 0.99, 0.999),
        H2LoadOutput.ReadLatency(Enumerable.Range(1, 1000).Select(i => $"1795240073709799\t200\t{i}")));

    [Theory]
    [InlineData("")]
    [InlineData("1795240073709799\t200\tfast")]
    public void ReadLatency_MalformedLog_IsRefused(string line) =>
        Assert.Throws<BenchmarkException>(() => H2LoadOutput.ReadLatency([line]));

    [Fact]
    public void ReadLatency_EmptyLog_IsRefused() =>
        Assert.Throws<BenchmarkException>(() => H2LoadOutput.ReadLatency([]));

    private static H2LoadOutput Parse(
        string requests = CleanRequests, string statuses = CleanStatuses, string rates = CleanRates) =>
        H2LoadOutput.Parse(["starting benchmark...", "finished in 1.00s, 1500.00 req/s, 5.04MB/s", requests, statuses, rates]);
}
