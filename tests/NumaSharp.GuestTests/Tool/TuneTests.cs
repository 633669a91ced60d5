using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Tool;

/// <summary>numasharp tune, with a card of four queues whose packets come from outside of the guest.</summary>
public sealed class TuneTests : ThreeNodeTests, IAsyncDisposable
{
    private const string Numasharp = "NumaSharp.Tool.dll";
    private const string Card = "/sys/class/net/eth0";
    private const int Datagrams = 100;

    private readonly string _record = $"/tmp/tune-{Guid.NewGuid():N}.json";

    public TuneTests() => Assert.SkipUnless(
        Directory.Exists($"{Card}/device"), "The guest has no card: its host has no tap devices or network namespaces for it.");

    public async ValueTask DisposeAsync()
    {
        if (File.Exists(_record))
        {
            await Tune("--undo");
        }
    }

    // The service is on node 1, and the card's interrupts are on node 0, as irqbalance may leave them.
    [Fact]
    public async Task Apply_InterruptsOnAnotherNode_NoPacketIsReceivedThereAnyMore()
    {
        var queues = ReceiveQueues();
        Assert.Equal(4, queues.Length);
        foreach (var queue in queues)
        {
            await File.WriteAllTextAsync(AffinityOf(queue), "0", TestContext.Current.CancellationToken);
        }

        Assert.Equal([0], await InterruptedCpusAsync(queues));
        var tuned = await Tune("--apply", "--Numa:Binding:Nodes=1");
        Assert.True(tuned.Succeeded, tuned.Errors);
        Assert.All(await InterruptedCpusAsync(queues), static cpu => Assert.Equal(1, TheMachine.NodeOfCpu(cpu)));
        Assert.All(SendMasks(), static mask => Assert.False(mask.IsEmpty));

        var undone = await Tune("--undo");
        Assert.True(undone.Succeeded, undone.Errors);
        Assert.All(queues, static queue => Assert.Equal("0", File.ReadAllText(AffinityOf(queue)).Trim()));
        Assert.False(File.Exists(_record));
    }

    [Fact]
    public async Task Apply_Twice_IsRefusedAndChangesNothing()
    {
        Assert.True((await Tune("--apply", "--Numa:Binding:Nodes=1")).Succeeded);
        var again = await Tune("--apply", "--Numa:Binding:Nodes=0");
        Assert.Equal(2, again.ExitCode);
        Assert.Contains("undo it first", again.Errors, StringComparison.Ordinal);
        Assert.All(ReceiveQueues(), static queue =>
            Assert.True(CpuSet.ParseList(File.ReadAllText(AffinityOf(queue))).IsSubsetOf(TheMachine.CpusOf(1))));
        Assert.True((await Tune("--undo")).Succeeded);
    }

    // While datagrams arrive; what is on its way at first still has the old interrupts.
    private static async Task<IEnumerable<int>> InterruptedCpusAsync(int[] queues)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Parse("10.77.0.2"), 7777));
        await ReceiveAsync(socket);
        var before = Counts(queues);
        await ReceiveAsync(socket);
        return Counts(queues).Zip(before, static (now, then) => now - then).Index()
            .Where(static cpu => cpu.Item > 0).Select(static cpu => cpu.Index);
    }

    private static async Task ReceiveAsync(Socket socket)
    {
        var buffer = new byte[16];
        for (var i = 0; i < Datagrams; i++)
        {
            await socket.ReceiveAsync(buffer).Within();
        }
    }

    // By CPU, the interrupts of the queues together (proc_interrupts(5)): " 40:  12  0  0  3  PCI-MSI ... virtio0-input.0".
    private static long[] Counts(int[] queues)
    {
        var sums = new long[TheMachine.AllCpus.Count];
        foreach (var line in File.ReadLines("/proc/interrupts"))
        {
            var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (queues.Any(queue => words[0] == $"{queue}:"))
            {
                for (var cpu = 0; cpu < sums.Length; cpu++)
                {
                    sums[cpu] += long.Parse(words[1 + cpu], CultureInfo.InvariantCulture);
                }
            }
        }

        return sums;
    }

    private static int[] ReceiveQueues() =>
    [
        .. Directory.EnumerateDirectories("/sys/kernel/irq")
            .Where(static folder => File.ReadAllText($"{folder}/actions").Contains("-input.", StringComparison.Ordinal))
            .Select(static folder => int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture)),
    ];

    private static string AffinityOf(int interrupt) => $"/proc/irq/{interrupt}/smp_affinity_list";

    private static IEnumerable<CpuSet> SendMasks() =>
        Directory.EnumerateDirectories($"{Card}/queues", "tx-*").Select(static queue =>
            CpuSet.TryParseMask(File.ReadAllText($"{queue}/xps_cpus"), out var mask) ? mask : CpuSet.Empty);

    private Task<ProgramResult> Tune(params string[] arguments) => arguments is ["--undo"]
        ? Child.RunAsync(Numasharp, ["tune", "--record", _record, "--undo"])
        : Child.RunAsync(Numasharp, ["tune", "--record", _record, "--interface", "eth0", .. arguments]);
}
