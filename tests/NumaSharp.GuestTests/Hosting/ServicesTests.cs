using System.Diagnostics.Metrics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Hosting;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>What AddNuma puts into the container of an application on this machine.</summary>
public sealed class ServicesTests : ThreeNodeTests, IAsyncLifetime
{
    private SeeingServer _server = null!;

    private IServiceProvider Services => _server.Services;

    public async ValueTask InitializeAsync() => _server = await SeeingServer.StartAsync("Adaptive");

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public unsafe void KeyedPool_OfEachNode_RentsPagesOfThatNode()
    {
        foreach (var node in TheMachine.Nodes)
        {
            using var block = Services.GetRequiredKeyedService<NumaMemoryPool>(node).RentBlock();
            TestThreads.RunOn(TheMachine.CpusFarFrom(node), () => block.GetSpan().Fill(1));
            Pages.AssertOn(node, (nint)block.Pointer, block.Length);
        }
    }

    [Fact]
    public async Task KeyedScheduler_OfEachNode_RunsThere()
    {
        foreach (var node in TheMachine.Nodes)
        {
            var factory = new TaskFactory(Services.GetRequiredKeyedService<TaskScheduler>(node));
            var actual = await factory.StartNew(static () =>
            {
                NumaPlatform.Default.Affinity.GetCurrent(out _, out var current).ThrowIfFailed("getcpu");
                return current.Value;
            });
            Assert.Equal(TheMachine.ServerOf(node), actual);
        }
    }

    [Fact]
    public unsafe void Allocator_OfTheContainer_AllocatesOnEachNode()
    {
        var allocator = Services.GetRequiredService<NumaAllocator>();
        foreach (var node in TheMachine.Nodes)
        {
            var block = allocator.AllocateZeroed(10_000, new(node));
            Pages.Touch((nint)block, 10_000);
            Pages.AssertOn(node, (nint)block, 10_000);
            allocator.Free(block);
        }
    }

    [Fact]
    public async Task Health_OfThisMachine_IsGoodAndNothingFellBack()
    {
        var report = await Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.All(report.Entries, static entry => Assert.Equal(HealthStatus.Healthy, entry.Value.Status));
        Assert.Empty(Services.GetRequiredService<NumaFallbacks>().Current);
    }

    [Fact]
    public async Task Meter_OfThisMachine_TellsItsNodesAndWhatHappensOnThem()
    {
        using var block = Services.GetRequiredService<NumaMemoryPools>().ForNode(new(2)).RentBlock();
        await _server.ExchangeAsync(1000);
        var points = ReadMeter();

        Assert.Equal((3, 4), (points[("numasharp.node.count", null)], points[("numasharp.cpu.allowed.count", null)]));
        foreach (var node in NumaTopology.Instance.Nodes)
        {
            Assert.Equal(node.MemoryBytes, points[("numasharp.node.memory.limit", node.NodeId)]);
            Assert.InRange(points[("numasharp.node.memory.usage", node.NodeId)], 1, node.MemoryBytes);
        }

        Assert.Equal(block.Length, points[("numasharp.pool.rented", 2)]);
        var seen = Assert.Single(_server.Seen);
        Assert.Equal(1, points[("numasharp.transport.accepts", seen.Node)]);
        Assert.Equal(0, points[("numasharp.transport.accepts", 1 - seen.Node)]);
    }

    // The first reading of this host: the next one is due in a minute.
    [Fact]
    public void Meter_ArrayWrittenOnNode1_IsThereInTheManagedHeap()
    {
        var array = GC.AllocateUninitializedArray<byte>(32 << 20, pinned: true);
        TestThreads.RunOn(TheMachine.CpusOf(1), () => array.AsSpan().Fill(1));
        var there = Pages.CountByNode(Marshal.UnsafeAddrOfPinnedArrayElement(array, 0), array.Length)
            .GetValueOrDefault(1) * (long)Pages.Size;
        Assert.InRange(there, array.Length / 2, array.Length + Pages.Size);

        // From then on it is known how much the collector has.
        GC.Collect();
        Assert.InRange(ReadMeter()[("numasharp.node.managed_heap.usage", 1)], there, 1L << 30);
        GC.KeepAlive(array);
    }

    /// <summary>The latest point of each instrument and node.</summary>
    private static Dictionary<(string Name, int? Node), long> ReadMeter()
    {
        var points = new Dictionary<(string, int?), long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == NumaTelemetry.MeterName)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            int? node = null;
            foreach (var tag in tags)
            {
                node = tag.Key == "numasharp.node.id" ? (int)tag.Value! : node;
            }

            points[(instrument.Name, node)] = value;
        });
        listener.SetMeasurementEventCallback<int>((instrument, value, _, _) => points[(instrument.Name, null)] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return points;
    }

    // Over the loopback interface packets come in by the CPU that sends them.
    [Fact]
    public void CrossNodeReceives_ClientMovesToAnotherNode_AreCounted()
    {
        var transport = Services.GetRequiredService<EpollTransportFactory>();
        using var client = _server.Connect(CpuSet.FromIds(0));
        Exchange(TheMachine.CpusOf(0));
        var near = Sum();
        Exchange(TheMachine.CpusOf(1));
        var far = Sum();

        Assert.Equal(0, near.CrossNode);
        Assert.True(near.All > 0, "Nothing was sampled.");
        Assert.InRange(far.CrossNode, (far.All - near.All) / 2, far.All - near.All);

        void Exchange(CpuSet from) => TestThreads.RunOn(from, () =>
        {
            var buffer = new byte[16];
            for (var i = 0; i < 1000; i++)
            {
                client.Client.Send(buffer);
                client.GetStream().ReadExactly(buffer);
            }
        });

        (long All, long CrossNode) Sum()
        {
            var loops = transport.GetStatistics();
            return (loops.Sum(static loop => loop.EstimatedReceives), loops.Sum(static loop => loop.CrossNodeReceives));
        }
    }
}
