using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Tool;

/// <summary>numasharp tune, with a card of four queues whose packets come from outside of the guest.</summary>
public sealed class TuneTests : ThreeNodeTests, IDisposable
{
    private const string Numasharp = "NumaSharp.Tool.dll";
    private const string Card = "/sys/class/net/eth0";
    private const int Datagrams = 100;
    private const int SOL_SOCKET = 1;
    private const int SO_INCOMING_CPU = 49;

    private readonly string _record = $"/tmp/tune-{Guid.NewGuid():N}.json";

    public TuneTests() => Assert.SkipUnless(
        Directory.Exists($"{Card}/device"), "The guest has no card: its host has no tap devices or network namespaces for it.");

    public void Dispose() => File.Delete(_record);

    // The service is on node 1, and the card's interrupts are on node 0, as irqbalance may leave them.
    [Fact]
    public async Task Apply_InterruptsOnAnotherNode_NoPacketIsReceivedThereAnyMore()
    {
        var interrupts = Interrupts();
        Assert.Equal(4, interrupts.Length);
        foreach (var interrupt in interrupts)
        {
            await File.WriteAllTextAsync(interrupt, "0", TestContext.Current.CancellationToken);
        }

        Assert.Equal([0], await ReceivingCpusAsync());
        var tuned = await Tune("--apply", "--Numa:Binding:Nodes=1");
        Assert.True(tuned.Succeeded, tuned.Errors);
        Assert.All(interrupts, interrupt => Assert.True(TheMachine.CpusOf(1).Contains(CpuIn(interrupt)), interrupt));
        var cpus = await ReceivingCpusAsync();
        Assert.All(cpus, static cpu => Assert.Equal(1, TheMachine.NodeOfCpu(cpu)));
        Assert.All(SendMasks(), static mask => Assert.False(mask.IsEmpty));

        var undone = await Tune("--undo");
        Assert.True(undone.Succeeded, undone.Errors);
        Assert.All(interrupts, static interrupt => Assert.Equal(0, CpuIn(interrupt)));
        Assert.False(File.Exists(_record));
    }

    [Fact]
    public async Task Apply_Twice_IsRefusedAndChangesNothing()
    {
        Assert.True((await Tune("--apply", "--Numa:Binding:Nodes=1")).Succeeded);
        var again = await Tune("--apply", "--Numa:Binding:Nodes=0");
        Assert.Equal(2, again.ExitCode);
        Assert.Contains("undo it first", again.Errors, StringComparison.Ordinal);
        Assert.All(Interrupts(), static interrupt => Assert.True(TheMachine.CpusOf(1).Contains(CpuIn(interrupt))));
        Assert.True((await Tune("--undo")).Succeeded);
    }

    // Of those that have received what a socket got, for a while.
    private static async Task<IEnumerable<int>> ReceivingCpusAsync()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Parse("10.77.0.2"), 7777));
        var cpus = new SortedSet<int>();
        var (buffer, option) = (new byte[16], new byte[sizeof(int)]);

        // What is under way still has the old interrupts.
        for (var i = 0; i < 2 * Datagrams; i++)
        {
            await socket.ReceiveAsync(buffer).Within();
            _ = socket.GetRawSocketOption(SOL_SOCKET, SO_INCOMING_CPU, option);
            if (i >= Datagrams)
            {
                cpus.Add(BitConverter.ToInt32(option));
            }
        }

        return cpus;
    }

    private static string[] Interrupts() =>
    [
        .. Directory.EnumerateDirectories("/sys/kernel/irq")
            .Where(static folder => File.ReadAllText($"{folder}/actions").Contains("-input.", StringComparison.Ordinal))
            .Select(static folder => $"/proc/irq/{Path.GetFileName(folder)}/smp_affinity_list"),
    ];

    private static int CpuIn(string interrupt) => int.Parse(File.ReadAllText(interrupt), CultureInfo.InvariantCulture);

    private static IEnumerable<CpuSet> SendMasks() =>
        Directory.EnumerateDirectories($"{Card}/queues", "tx-*").Select(static queue =>
            CpuSet.TryParseMask(File.ReadAllText($"{queue}/xps_cpus"), out var mask) ? mask : CpuSet.Empty);

    private Task<ProgramResult> Tune(params string[] arguments) =>
        Child.RunAsync(Numasharp, ["tune", "--record", _record, "--interface", "eth0", .. arguments]);
}
