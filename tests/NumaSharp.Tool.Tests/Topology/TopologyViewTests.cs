using System.Text;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Topology;

namespace NumaSharp.Tool.Tests.Topology;

public sealed class TopologyViewTests
{
    private const long Gibibyte = 1L << 30;

    [Fact]
    public void Write_MachineWithEverything_ShowsIt()
    {
        Assert.Equal(
            """
            ╭──────┬────────┬──────────────────┬─────────┬─────────┬───────────────────────┬──────┬─────────╮
            │ Node │ Kind   │ CPUs             │ Memory  │ Free    │ Huge pages            │ Tier │ Network │
            ├──────┼────────┼──────────────────┼─────────┼─────────┼───────────────────────┼──────┼─────────┤
            │ 0    │ normal │ 0-1,4-5          │ 64 GiB  │ 16 GiB  │ 512 x 2 MiB, 500 free │ 4    │         │
            │ 1    │ normal │ 2-3,6 of 2-3,6-7 │ 64 GiB  │ 56 GiB  │ 512 x 2 MiB, 500 free │ 4    │ eth0    │
            │ 2    │ memory │                  │ 256 GiB │ 256 GiB │                       │ 5    │         │
            ╰──────┴────────┴──────────────────┴─────────┴─────────┴───────────────────────┴──────┴─────────╯
            ╭─Node 0, normal─────────────────────────────────╮╭─Node 1, normal─────────────────────────────────╮
            │ Package 0, L3 32 MiB of 0-1,4-5                ││ Package 1, L3 of 2-3,6-7                       │
            │ [0,4] [1,5]                                    ││ [2,6] [3!,-7]                                  │
            │ ██████░░ 16 GiB free of 64 GiB                 ││ █░░░░░░░ 56 GiB free of 64 GiB                 │
            ╰────────────────────────────────────────────────╯│ Network eth0                                   │
                                                              ╰────────────────────────────────────────────────╯
            ╭─Node 2, memory─────────────────────────────────╮
            │ ░░░░░░░░ 256 GiB free of 256 GiB               │
            │ Read/write from nodes 1: 250/? ns, 40000/20000 │
            │ MB/s                                           │
            ╰────────────────────────────────────────────────╯
            [0,4] is a core with its hardware threads; -4 may not be used; 4! is isolated.

                   Distances

              from │  0 │  1 │  2
             ──────┼────┼────┼────
              0    │ 10 │ 21 │ 31
              1    │ 21 │ 10 │ 31
              2    │ 31 │ 31 │ 10

            Allowed CPUs 0-6; memory of nodes 0-2; read by Test.
            Isolated CPUs 3.
            Network devices of no node above: usb0.
            Warning: a file made no sense

            """,
            Draw(Everything(), 100));
    }

    [Theory]
    [InlineData(20)]
    [InlineData(40)]
    [InlineData(80)]
    [InlineData(120)]
    [InlineData(200)]
    public void Write_AnyMachine_FitsTheWidthWithoutEscapes(int width)
    {
        foreach (var topology in new List<NumaTopology> { Everything(), Wide(64, 4), Wide(2, 128), Wide(1, 8) })
        {
            var text = Draw(topology, width);
            Assert.DoesNotContain('\u001b', text);
            Assert.All(text.Split('\n'), line => Assert.True(line.Length <= width, line));
            Assert.All(topology.Nodes, node => Assert.Contains($"─Node {node.NodeId}, ", text, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void Write_NarrowScreen_HasParagraphsInsteadOfTheTable()
    {
        Assert.StartsWith(
            """
            Node 0
              Kind: normal
              CPUs: 0-1,4-5
              Memory: 64 GiB
              Free: 16 GiB
              Huge pages: 512 x 2 MiB, 500 free
              Tier: 4
            Node 1
              Kind: normal
              CPUs: 2-3,6 of 2-3,6-7

            """,
            Draw(Everything(), 40), StringComparison.Ordinal);
    }

    [Fact]
    public void Write_WriterWithoutLines_IsAscii()
    {
        using var bytes = new MemoryStream();
        using (var output = new StreamWriter(bytes, Encoding.Latin1) { NewLine = "\n" })
        {
            TopologyView.Write(new ToolConsole(output, TextWriter.Null, 100).Screen, Everything());
        }

        var text = Encoding.Latin1.GetString(bytes.ToArray());
        Assert.All(text, static character => Assert.InRange(character, '\n', '~'));
        Assert.Contains("+-Node 0, normal---", text, StringComparison.Ordinal);
        Assert.Contains("######.. 16 GiB free", text, StringComparison.Ordinal);
        Assert.DoesNotContain('?', text.Replace("250/? ns", "", StringComparison.Ordinal));
    }

    [Fact]
    public void Write_ManyNodes_ListsThemByDistance()
    {
        var text = Draw(Wide(64, 4), 80);
        Assert.Contains("10: 7; 20: 0-6,8-63", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "(chosen by the kernel).")]
    [InlineData(false, "(the default, or as written).")]
    public void Write_SystemHasInterleaveWeights_ShowsThem(bool areAutomatic, string how)
    {
        NumaNode[] nodes = [Node(0) with { InterleaveWeight = 3 }, Node(1) with { InterleaveWeight = 2 }, Slow()];
        var text = Draw(new NumaTopology("Test", nodes) { HasAutomaticInterleaveWeights = areAutomatic }, 200);
        Assert.Contains(
            $"\nWeighted interleaving takes pages in turn: 3 of node 0, 2 of node 1 {how}\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_KernelWithoutInterleaveWeights_DoesNotMentionThem() =>
        Assert.DoesNotContain("interleav", Draw(Everything(), 100), StringComparison.OrdinalIgnoreCase);

    private static string Draw(NumaTopology topology, int width)
    {
        using var output = new StringWriter { NewLine = "\n" };
        TopologyView.Write(new ToolConsole(output, TextWriter.Null, width).Screen, topology);
        return string.Join('\n', output.ToString().Split('\n').Select(static line => line.TrimEnd()));
    }

    // Two packages of two cores with two threads; CPU 7 forbidden, 3 isolated; a third node of memory only.
    private static NumaTopology Everything() => new("Test", [Node(0), Node(1), Slow()], ["a file made no sense"])
    {
        Cores = [.. Enumerable.Range(0, 4).Select(static core => new NumaCore(core / 2, core, CpuSet.FromIds(core, core + 4)))],
        LastLevelCaches =
        [
            new NumaCache(3, 32 << 20, CpuSet.ParseList("0-1,4-5")), new NumaCache(3, 0, CpuSet.ParseList("2-3,6-7")),
        ],
        IsolatedCpus = CpuSet.FromIds(3),
        NetworkDevices = [new NumaNetworkDevice("eth0", new(1)), new NumaNetworkDevice("usb0", null)],
    };

    private static NumaNode Node(int id)
    {
        var cpus = CpuSet.FromIds(id * 2, (id * 2) + 1, (id * 2) + 4, (id * 2) + 5);
        return new NumaNode
        {
            Id = new(id),
            OnlineCpus = cpus,
            Cpus = cpus.Except(CpuSet.FromIds(7)),
            MemoryBytes = 64 * Gibibyte,
            MemoryFreeBytes = (16 + (id * 40)) * Gibibyte,
            IsMemoryAllowed = true,
            MemoryTier = 4,
            HugePages = [new NumaHugePages(2 << 20, 512, 500), new NumaHugePages(Gibibyte, 0, 0)],
            Distances = new Dictionary<NumaNodeId, int> { [new(id)] = 10, [new(1 - id)] = 21, [new(2)] = 31 },
        };
    }

    private static NumaNode Slow() => new()
    {
        Id = new(2),
        Kind = NumaNodeKind.Memory,
        MemoryBytes = 256 * Gibibyte,
        MemoryFreeBytes = 256 * Gibibyte,
        IsMemoryAllowed = true,
        MemoryTier = 5,
        Access =
        [
            new NumaMemoryAccess(0, CpuSet.FromIds(1)) { ReadLatency = 250, ReadBandwidth = 40000, WriteBandwidth = 20000 },
        ],
        Distances = new Dictionary<NumaNodeId, int> { [new(0)] = 31, [new(1)] = 31, [new(2)] = 10 },
    };

    private static NumaTopology Wide(int nodes, int cpus) =>
        new("Test", Enumerable.Range(0, nodes).Select(id => TestMachines.Node(id, $"{id * cpus}-{(id * cpus) + cpus - 1}")));
}
