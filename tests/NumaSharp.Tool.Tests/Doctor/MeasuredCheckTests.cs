using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Tool.Doctor;
using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Tests.Doctor;

public sealed class MeasuredCheckTests : IDisposable
{
    private readonly DoctorFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Examine_NothingMeasured_SaysNothing()
    {
        _fixture.AssertHealthy("measured-pinning");
        _fixture.AssertHealthy("measured-memory");
    }

    [Theory]
    [InlineData(1.2, "Info", "do more")]
    [InlineData(1.0, "Info", "as much")]
    [InlineData(0.7, "Warning", "do less")]
    public void Examine_PinningTried_SaysWhatItGains(double gain, string severity, string problem)
    {
        _fixture.Measured = new(PinningTrialResult.Of(8, [(gain, 1), (gain, 1)]), Memory: null);
        var finding = _fixture.Find("measured-pinning");
        Assert.Equal(severity, finding.Severity.ToString());
        Assert.Contains(problem, finding.Problem, StringComparison.Ordinal);
        Assert.Equal(severity == "Warning", finding.Advice == PinningTrialResult.Remedy);
        _fixture.AssertHealthy("measured-memory");
    }

    [Fact]
    public void Examine_PinningRefused_SaysWhy()
    {
        _fixture.Measured = new(PinningTrialResult.Refused("because"), Memory: null);
        Assert.Equal("not measured: because", Assert.Single(_fixture.Find("measured-pinning").Evidence).Value);
    }

    [Fact]
    public void Examine_MemoryMeasured_ComparesTheFarthest()
    {
        var row = new MatrixRow(0, new(0));
        _fixture.Measured = new(
            PinningTrialResult.Refused("because"),
            new NodeMatrix(
                new MatrixPlan([row], [], 1 << 20),
                1,
                [],
                [
                    new(row, new(0), new MatrixFigures(TimeSpan.FromMilliseconds(1), 12.34, 80), null),
                    new(row, new(1), new MatrixFigures(TimeSpan.FromMilliseconds(1), 6, 160), null),
                    new(row, new(2), null, "no memory"),
                ]));
        var finding = _fixture.Find("measured-memory");
        Assert.Equal(Severity.Info, finding.Severity);
        Assert.Equal("A read of node 1's memory takes 2.0 times as long as one of the own node's.", finding.Problem);
        Assert.Equal(
            ["80 ns, 12.3 GB/s", "160 ns, 6.0 GB/s", "not measured: no memory"],
            finding.Evidence.Select(static evidence => evidence.Value));
        Assert.Equal("CPU 0, memory of node 2", finding.Evidence[2].Source);
    }
}
