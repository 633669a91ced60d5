using NumaSharp.Hosting.Telemetry;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class TransportMetricsTests
{
    [Theory]
    [InlineData(1.0, 0, 0, 0, 0)]
    [InlineData(1.0, 7, 7, 7, 7)]
    [InlineData(2.0, 10, 10, 0, 0)]
    [InlineData(4.0, 0, 0, 64, 0)]
    public void ImbalanceOf_Connections_IsTheBusiestOverTheMean(double expected, params int[] connections) =>
        Assert.Equal(expected, TransportMetrics.ImbalanceOf(connections.Length, loop => connections[loop]));
}
