using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class BenchmarkCpusTests
{
    [Fact]
    public void Choose_SiblingsFirst_TakesAnotherCore()
    {
        var cpus = BenchmarkCpus.Choose(CpuSet.ParseList("0-3"), cpu => CpuSet.ParseList(cpu < 2 ? "0-1" : "2-3"));

        Assert.Equal(new BenchmarkCpus(0, 2, null), cpus);
    }

    [Fact]
    public void Choose_OnlySiblings_TakesThemAndSaysSo()
    {
        var cpus = BenchmarkCpus.Choose(CpuSet.ParseList("4-5"), _ => CpuSet.ParseList("4-5"));

        Assert.Equal((4, 5), (cpus.Server, cpus.Load));
        Assert.Contains("sibling", cpus.Note, StringComparison.Ordinal);
    }

    [Fact]
    public void Choose_OneCpu_PinsNothingAndSaysSo()
    {
        var cpus = BenchmarkCpus.Choose(CpuSet.ParseList("7"), _ => CpuSet.ParseList("7"));

        Assert.Equal(((int?)null, (int?)null), (cpus.Server, cpus.Load));
        Assert.NotNull(cpus.Note);
    }

    [Fact]
    public void AllowedCpus_ThisProcess_IsNotEmpty() =>
        Assert.False(BenchmarkCpus.AllowedCpus(Environment.ProcessId).IsEmpty);
}
