using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Benchmarks.Tests.Http.Load;

public sealed class LoadReportTests
{
    private const string Clean =
        "LOAD-REPORT {\"requests\":3000,\"measuredRequests\":2000,\"measuredMicroseconds\":500000,\"bytes\":12288000,"
        + "\"p50Microseconds\":1200.0,\"p99Microseconds\":1850.0,\"p999Microseconds\":2000.0,"
        + "\"errors\":{\"connect\":0,\"timeout\":0}}";

    [Fact]
    public void ToResult_CleanRun_HasRateAndPercentileOfTheMeasuredPart()
    {
        var result = LoadReport.Parse("wrk", ["Running 1s test", Clean, ""]).ToResult("wrk", 4096, LoadFigures.Percentiles);

        Assert.Equal(new LoadResult(3000, 4000, new Latency(1.2, 1.85, 2)), result);
    }

    [Fact]
    public void Parse_WhatToStringWrote_IsTheSameReport()
    {
        var written = LoadReport.Parse("wrk", [Clean]).ToString();

        Assert.Equal(LoadReport.Parse("wrk", [Clean]).ToResult("wrk", 1, LoadFigures.Percentiles),
            LoadReport.Parse("ws", [written]).ToResult("ws", 1, LoadFigures.Percentiles));
    }

    [Fact]
    public void ToResult_Errors_NamesThoseThatHappened()
    {
        var report = LoadReport.Parse("wrk", [Clean.Replace("\"timeout\":0", "\"timeout\":3", StringComparison.Ordinal)]);

        var message = Assert.Throws<BenchmarkException>(() => report.ToResult("wrk", 4096, LoadFigures.Percentiles)).Message;
        Assert.Contains("3 timeout", message, StringComparison.Ordinal);
        Assert.DoesNotContain("connect", message, StringComparison.Ordinal);
    }

    [Fact]
    public void ToResult_AnswersWithoutTheirBodies_IsRefused()
    {
        var report = LoadReport.Parse("wrk", [Clean]);

        Assert.Throws<BenchmarkException>(() => report.ToResult("wrk", 4097, LoadFigures.Percentiles));
    }

    [Fact]
    public void ToResult_NoRequest_IsRefused()
    {
        var report = LoadReport.Parse("wrk", [Clean.Replace("2000", "0", StringComparison.Ordinal)]);

        Assert.Throws<BenchmarkException>(() => report.ToResult("wrk", 1, LoadFigures.Percentiles));
    }

    [Fact]
    public void ToResult_NoLatencyWhereItIsMeasured_IsRefused()
    {
        var report = LoadReport.Parse("wrk", [Clean.Replace("1200.0", "0", StringComparison.Ordinal)]);

        Assert.Throws<BenchmarkException>(() => report.ToResult("wrk", 1, LoadFigures.Percentiles));
        Assert.Null(report.ToResult("wrk", 1, LoadFigures.Rate).Latency);
    }

    [Theory]
    [InlineData("Requests/sec: 12")]
    [InlineData("LOAD-REPORT")]
    [InlineData("LOAD-REPORT {\"requests\":")]
    [InlineData("LOAD-REPORT {\"requests\":1}")]
    [InlineData("LOAD-REPORT null")]
    public void Parse_NoReport_IsRefusedWithTheSource(string line)
    {
        var failure = Assert.Throws<BenchmarkException>(() => LoadReport.Parse("wrk", [line]));

        Assert.Contains("wrk", failure.Message, StringComparison.Ordinal);
    }
}
