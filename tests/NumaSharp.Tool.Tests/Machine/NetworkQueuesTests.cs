using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Tests.Machine;

public sealed class NetworkQueuesTests : IDisposable
{
    private readonly MachineTree _tree = MachineTree.TwoNodes();

    private TreeReader Files => new(_tree.PathOf(""));

    public void Dispose() => _tree.Dispose();

    // Names as drivers of Linux 5.4 to 6.18 give them.
    [Theory]
    [InlineData("eth0-TxRx-{0}")]
    [InlineData("i40e-eth0-TxRx-{0}")]
    [InlineData("eth0-Tx-Rx-{0}")]
    [InlineData("eth0-rxtx-{0}")]
    [InlineData("eth0-fp-{0}")]
    [InlineData("hns3-0000:7d:00.0-eth0-TxRx-{0}")]
    [InlineData("mlx5_comp{0}@pci:0000:81:00.0")]
    [InlineData("eth0-{0}")]
    public void TryRead_OneInterruptPerPair_IsThatOfBothQueues(string name)
    {
        AddQueues(receives: 3, sends: 3, ["i40e-0000:04:00.0:misc", .. Names(name, 3), "i40e-0000:04:00.0:fdir-TxRx-0"]);
        var queues = Read();
        Assert.Equal([41, 42, 43], queues.Receive);
        Assert.Equal([41, 42, 43], queues.Send);
    }

    [Theory]
    [InlineData("virtio2-input.{0}", "virtio2-output.{0}")]
    [InlineData("eth0-rx-{0}", "eth0-tx-{0}")]
    public void TryRead_InterruptsOfTheirOwn_AreTheQueues(string receive, string send)
    {
        AddQueues(receives: 2, sends: 2, ["virtio2-config", .. Names(receive, 2), .. Names(send, 2)]);
        var queues = Read();
        Assert.Equal([41, 42], queues.Receive);
        Assert.Equal([43, 44], queues.Send);
    }

    [Fact]
    public void TryRead_MoreInterruptsThanQueues_TakesThoseOfTheQueues()
    {
        AddQueues(receives: 2, sends: 1, [.. Names("mlx5_comp{0}@pci:0000:81:00.0", 8)]);
        var queues = Read();
        Assert.Equal([40, 41], queues.Receive);
        Assert.Equal([40], queues.Send);
    }

    // Of one per CPU, those beyond the receive queues serve something else.
    [Fact]
    public void TryRead_MoreSendQueuesThanReceiveQueues_TakesNoInterruptOfOthers()
    {
        AddQueues(receives: 2, sends: 4, [.. Names("mlx5_comp{0}@pci:0000:81:00.0", 8)]);
        Assert.Equal([40, 41, null, null], Read().Send);
    }

    // bnxt without combined queues.
    [Fact]
    public void TryRead_SendQueuesThatAreCountedOn_AreTheirs()
    {
        AddQueues(receives: 2, sends: 2, ["eth0-rx-0", "eth0-rx-1", "eth0-tx-2", "eth0-tx-3"]);
        var queues = Read();
        Assert.Equal([40, 41], queues.Receive);
        Assert.Equal([42, 43], queues.Send);
    }

    [Fact]
    public void TryRead_InterfaceThatIsDown_IsSaid()
    {
        AddQueues(receives: 2, sends: 2, ["", ""]);
        _tree.Write("sys/class/net/eth0/operstate", "down\n");
        Assert.Null(NetworkQueues.TryRead(Files, new NumaNetworkDevice("eth0", null), out var refusal));
        Assert.Equal("it is down", refusal);
    }

    [Fact]
    public void TryRead_OnlyInterruptOfTheInterface_IsThatOfItsQueue()
    {
        AddQueues(receives: 1, sends: 1, ["eth0"]);
        var queues = Read();
        Assert.Equal([40], queues.Receive);
        Assert.Equal([40], queues.Send);
    }

    [Fact]
    public void TryRead_SendQueueWithoutAnInterrupt_HasNone()
    {
        AddQueues(receives: 1, sends: 2, ["eth0-rx-0", "eth0-tx-0"]);
        Assert.Equal([41, null], Read().Send);
    }

    // One of another interface, one queue twice, queues that are counted from 1, a name that does not say which queue.
    [Theory]
    [InlineData("mlx4-1@0000:03:00.0", "mlx4-2@0000:03:00.0")]
    [InlineData("eth0-TxRx-0", "eth1-TxRx-0")]
    [InlineData("gve-ntfy-blk0@pci:0000:00:04.0", "gve-ntfy-blk1@pci:0000:00:04.0")]
    [InlineData("eth0-txrx-1", "eth0-txrx-2")]
    [InlineData("eth0", "eth0")]
    [InlineData("", "")]
    [InlineData("eth0-TxRx-99999", "eth0-TxRx--1")]
    public void TryRead_NamesThatAreNotClear_AreRefusedAndNamed(params string[] names)
    {
        AddQueues(receives: 2, sends: 2, names);
        Assert.Null(NetworkQueues.TryRead(Files, new NumaNetworkDevice("eth0", null), out var refusal));
        Assert.Contains("receive queues are 0-1", refusal, StringComparison.Ordinal);
        Assert.Contains(names[0].Length > 0 ? $"'{names[0]}'" : "40 (without a name)", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_NothingToRead_IsRefused()
    {
        var files = Files;
        var device = new NumaNetworkDevice("eth0", null);
        Assert.Null(NetworkQueues.TryRead(files, device, out var refusal));
        Assert.Contains("no receive queue", refusal, StringComparison.Ordinal);
        AddQueues(receives: 1, sends: 1, []);
        Assert.Null(NetworkQueues.TryRead(files, device, out refusal));
        Assert.Contains("msi_irqs", refusal, StringComparison.Ordinal);
    }

    private static IEnumerable<string> Names(string format, int count) =>
        Enumerable.Range(0, count).Select(queue => string.Format(CultureInfo.InvariantCulture, format, queue));

    private void AddQueues(int receives, int sends, string[] actions) =>
        _tree.NetworkDevice("eth0", "1").NetworkQueues("eth0", receives, sends, firstInterrupt: 40, actions);

    private NetworkQueues Read()
    {
        var queues = NetworkQueues.TryRead(Files, new NumaNetworkDevice("eth0", new(1)), out var refusal);
        Assert.True(queues is not null, refusal);
        return queues;
    }
}
