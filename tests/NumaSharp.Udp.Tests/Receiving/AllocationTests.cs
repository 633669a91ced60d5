
namespace NumaSharp.Udp.Tests.Receiving;

[Collection(nameof(Alone))]
[Trait("kind", "allocation")]
public sealed class AllocationTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Echo_OneAfterTheOther_AllocatesNothing()
    {
        var server = _machine.Bind(new EchoHandler());
        using var client = UdpMachine.ClientOf(server);
        var (data, buffer) = (UdpMachine.Bytes(64), new byte[64]);
        Assert.Equal(0, AllocationsOf(() =>
        {
            client.Send(data);
            client.Receive(buffer);
        }));
    }

    [Fact]
    public async Task ReceiveAndSend_OfBatches_AllocateNothing()
    {
        var server = _machine.Bind(static options => options.Shards = 1);
        var shard = server.Shards[0];
        var echoing = EchoAsync();
        using var client = UdpMachine.ClientOf(server);
        var (data, buffer) = (UdpMachine.Bytes(64), new byte[64]);
        Assert.Equal(0, AllocationsOf(() =>
        {
            client.Send(data);
            client.Receive(buffer);
        }));
        await server.DisposeAsync();
        await echoing.Within();

        async Task EchoAsync()
        {
            using var batch = shard.CreateBatch();
            while (await shard.ReceiveAsync(batch).ConfigureAwait(false) > 0)
            {
                await shard.SendAsync(batch).ConfigureAwait(false);
            }
        }
    }

    [Fact]
    public void BatchesThatAreSent_AllocateNothing()
    {
        var server = _machine.Bind(new EchoHandler(), static options => options.Shards = 1);
        using var batch = _machine.NewBatch();
        var address = server.LocalEndPoint.Serialize().Buffer.ToArray()[..16];
        var payload = UdpMachine.Bytes(100);
        var sender = _machine.Bind(static options => options.Shards = 1).Shards[0];
        Assert.Equal(0, Allocations.OfSteadyState(
            () =>
            {
                for (var i = 0; i < 10; i++)
                {
                    batch.TryAdd(address, payload);
                }

                var sending = sender.SendAsync(batch);
                if (!sending.IsCompletedSuccessfully || sending.Result != 10)
                {
                    Assert.Fail("Loopback has room.");
                }

                batch.Clear();
            },
            count: 1_000));
    }

    // Of the whole process: both ends run on threads of their own.
    private static long AllocationsOf(Action round)
    {
        var allocations = AllocationWindows.OfProcess();
        while (allocations.Begin())
        {
            for (var i = 0; i < allocations.Rounds; i++)
            {
                round();
            }

            allocations.End();
        }

        return allocations.Least;
    }
}
