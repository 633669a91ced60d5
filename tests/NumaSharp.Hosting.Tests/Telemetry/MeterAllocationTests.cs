using System.Diagnostics.Metrics;
using System.Net;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>What reading the meter takes from the managed heap.</summary>
[Trait("kind", "allocation")]
public sealed class MeterAllocationTests
{
    private const int Repeats = 20;

    [Fact]
    public async Task Read_OfMoreNodes_AllocatesNoMoreThanTheirPointsAre()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "NUMA datagram sockets need Linux.");
        string[] wrong = [];

        // Code that is not compiled for good yet may take more, and the first has that. On a slow machine it takes a while.
        await Wait.UntilAsync(
            async () =>
            {
                var few = await ReadAsync(nodes: 2);
                var many = await ReadAsync(nodes: 10);
                Assert.True(many.Count > 20, $"Only {many.Count} instruments were read.");
                Assert.Equal(5 * 8, many[NumaTelemetry.UdpErrors].Points - few[NumaTelemetry.UdpErrors].Points);
                wrong =
                [
                    .. many.Where(pair => !IsInProportion(few[pair.Key], pair.Value))
                        .Select(pair => $"{pair.Key}: {few[pair.Key]} of two nodes, {pair.Value} of ten"),
                ];
                return wrong.Length == 0;
            },
            () => string.Join("; ", wrong),
            "what more nodes take");
    }

    private static bool IsInProportion(
        (long Bytes, int Points, int Attributes) few, (long Bytes, int Points, int Attributes) many) =>
        many.Bytes >= few.Bytes
        && many.Bytes - few.Bytes <= (many.Points - few.Points) * BytesOfAPoint(many.Attributes);

    // An entry of the array that an observation returns, and the copy of the attributes that it makes.
    private static long BytesOfAPoint(int attributes)
    {
        var tags = new KeyValuePair<string, object?>[attributes];
        var points = new Measurement<long>[1];
        var bytes = Allocations.OfAllocating(() => points[0] = new(0, tags), count: Repeats, warmUp: 1);
        return (bytes / Repeats) + Unsafe.SizeOf<Measurement<long>>();
    }

    private static async Task<Dictionary<string, (long Bytes, int Points, int Attributes)>> ReadAsync(int nodes)
    {
        using var machine = new SimulatedMachine(TestMachines.Row([.. Enumerable.Repeat(2, nodes)]));
        await using var host = await MeteredHost.StartAsync(machine.Platform, ("Transport:LoopsPerNode", "1"));
        var udp = host.Services.GetRequiredService<NumaUdpSocketFactory>();
        await using var server = udp.Bind(new IPEndPoint(IPAddress.Loopback, 0), new EchoHandler());
        return host.Read().Instruments.Where(static instrument => instrument.IsObservable)
            .ToDictionary(static instrument => instrument.Name, Measure);
    }

    private static (long Bytes, int Points, int Attributes) Measure(Instrument instrument)
    {
        var (points, attributes) = (0, 0);
        using var listener = new MeterListener();
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => (points, attributes) = (points + 1, tags.Length));
        listener.SetMeasurementEventCallback<int>((_, _, tags, _) => (points, attributes) = (points + 1, tags.Length));
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) => (points, attributes) = (points + 1, tags.Length));
        listener.EnableMeasurementEvents(instrument);
        listener.RecordObservableInstruments();
        var once = points;
        var least = long.MaxValue;

        // The least of several: code may be recompiled in between, and the nodes' memory read.
        for (var i = 0; i < Repeats; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            listener.RecordObservableInstruments();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return (least, once, attributes);
    }
}
