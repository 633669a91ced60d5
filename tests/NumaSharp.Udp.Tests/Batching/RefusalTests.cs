using System.Net;

namespace NumaSharp.Udp.Tests.Batches;

/// <summary>What the kernel refuses to send.</summary>
public sealed class RefusalTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    // Anyone can send from port 0, and ask for an answer there.
    [Fact]
    public async Task Send_SegmentsToPortZero_AreRefusedAndOthersAreStillCut()
    {
        UdpOffload.SkipUnlessThere();
        var sender = _machine.Bind(static options => options.Shards = 1);
        Assert.True(sender.UsesGso);
        using var batch = _machine.NewBatch();
        var nowhere = KernelsOf(new IPEndPoint(IPAddress.Loopback, 0));
        Assert.True(batch.TryAdd(nowhere, [1]));
        Assert.True(batch.TryAdd(nowhere, [2]));
        Assert.Equal(1, batch.MessageCount);
        Assert.Equal(0, await sender.Shards[0].SendAsync(batch));
        Assert.True(sender.UsesGso);
        Assert.Empty(_machine.SocketFallbacks);
        Assert.Equal(2, UdpMachine.SumOf(sender).RefusedDatagrams);
    }

    [Fact]
    public async Task Send_BroadcastThatTheOptionsForbid_IsNoErrorOfAPeer()
    {
        var sender = _machine.Bind(
            static options => (options.Shards, options.Broadcast) = (1, false), new IPEndPoint(IPAddress.Any, 0));
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd(KernelsOf(new IPEndPoint(IPAddress.Parse("127.255.255.255"), 9)), [1]));
        Assert.Equal(0, await sender.Shards[0].SendAsync(batch));
        var sum = UdpMachine.SumOf(sender);
        Assert.Equal((1, 0), (sum.RefusedDatagrams, sum.PeerErrors));
    }

    private static byte[] KernelsOf(IPEndPoint endPoint) => endPoint.Serialize().Buffer.ToArray()[..16];
}
