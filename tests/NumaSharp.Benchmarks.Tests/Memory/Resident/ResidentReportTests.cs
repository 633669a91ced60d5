using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Memory.Resident;

namespace NumaSharp.Benchmarks.Tests.Memory.Resident;

public sealed class ResidentReportTests
{
    [Fact]
    public void Parse_WhatItWrites_IsTheSame()
    {
        var report = new ResidentReport(2_000_000_000, 5, -4096);

        Assert.Equal(report, ResidentReport.Parse(["a line before", report.ToString()]));
    }

    [Fact]
    public void Parse_SomethingElse_IsRefusedAndShown()
    {
        var failure = Assert.Throws<BenchmarkException>(() => ResidentReport.Parse(["live=1"]));

        Assert.Contains("live=1", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AvailableBytes_MemoryInfo_IsInBytes() =>
        Assert.Equal(2048, ResidentMemory.AvailableBytes(["MemFree: 1 kB", "MemAvailable:          2 kB"]));

    [Fact]
    public void ReadResidentBytes_ThisProcess_IsMegabytes() =>
        Assert.InRange(ResidentProbe.ReadResidentBytes(), 1L << 20, 1L << 40);
}
