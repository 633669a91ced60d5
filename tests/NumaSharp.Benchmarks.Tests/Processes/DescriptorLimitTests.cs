using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Benchmarks.Tests.Processes;

public sealed class DescriptorLimitTests
{
    private const string Header = "Limit                     Soft Limit           Hard Limit           Units     ";

    [Theory]
    [InlineData("Max open files            1024                 524288               files     ", 524288)]
    [InlineData("Max open files            1024                 unlimited            files     ", long.MaxValue)]
    public void Of_Limits_IsTheHardOne(string line, long expected) => Assert.Equal(expected, DescriptorLimit.Of([Header, line]));

    [Fact]
    public void Of_NoSuchLine_Throws() => Assert.Throws<BenchmarkException>(() => DescriptorLimit.Of([Header]));

    [Theory]
    [InlineData(10_500, null)]
    [InlineData(10_499, "left out: a cpu, a p99: 10500 descriptors are needed, 10499 are allowed")]
    public void LeftOut_Connections_NeedOneEachAndSomeBeside(long allowed, string? expected) =>
        Assert.Equal(expected, DescriptorLimit.LeftOut(["a cpu", "a p99"], 10_000, allowed));
}
