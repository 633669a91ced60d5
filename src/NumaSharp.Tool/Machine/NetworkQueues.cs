using System.Globalization;
using System.Text.RegularExpressions;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Machine;

/// <summary>
/// The queues of a network interface, and which interrupt belongs to which: drivers say that only by the interrupt's name.
/// </summary>
/// <param name="Name">The interface, such as <c>eth0</c>.</param>
/// <param name="NodeId">The node that it is attached to; <see langword="null"/> where firmware does not say.</param>
/// <param name="Receive">The interrupt of each receive queue.</param>
/// <param name="Send">
/// The interrupt of each transmit queue; <see langword="null"/> for one that has none, or that of which is not known.
/// </param>
internal sealed partial record NetworkQueues(
    string Name, NumaNodeId? NodeId, IReadOnlyList<int> Receive, IReadOnlyList<int?> Send)
{
    /// <summary>The CPUs that send with a transmit queue (XPS), a mask.</summary>
    public const string SendCpus = "xps_cpus";

    /// <summary>The CPUs that a receive queue's packets are spread over (RPS), a mask.</summary>
    public const string SpreadCpus = "rps_cpus";

    /// <summary>A receive queue's part of the table of flows (RFS).</summary>
    public const string FlowCount = "rps_flow_cnt";

    /// <summary>For how many rounds of polling the interface's interrupts stay off.</summary>
    public const string DeferInterrupts = "napi_defer_hard_irqs";

    /// <summary>After how many nanoseconds it polls by itself then.</summary>
    public const string FlushTimeout = "gro_flush_timeout";

    /// <summary>The traffic class of a transmit queue.</summary>
    public const string TrafficClass = "traffic_class";

    /// <summary>Whether the interface is up.</summary>
    public const string State = "operstate";

    private const string Classes = "sys/class/net";
    private const int NamesShown = 4;

    /// <summary>Reads an interface's queues.</summary>
    /// <param name="files">The machine.</param>
    /// <param name="device">The interface.</param>
    /// <param name="refusal">Why the queues cannot be told apart; half a sentence. Empty if they can.</param>
    /// <returns><see langword="null"/> if they cannot.</returns>
    public static NetworkQueues? TryRead(TreeReader files, NumaNetworkDevice device, out string refusal)
    {
        var receives = Count(files, device.Name, "rx");
        var sends = Count(files, device.Name, "tx");
        if (receives == 0)
        {
            refusal = $"/{Classes}/{device.Name}/queues has no receive queue";
            return null;
        }

        (int Number, string Name)[] interrupts =
        [
            .. NetworkDeviceFiles.Interrupts(files, $"{Classes}/{device.Name}/device").Order()
                .Select(number => (number, files.Read(NetworkDeviceFiles.InterruptName(ToolText.Number(number))) ?? "")),
        ];
        var found = Identify(device.Name, interrupts, receives);
        var receive = QueuesOf(found, receives, static kind => kind != QueueKind.Send);
        if (receive.Contains(null))
        {
            refusal = Describe(files, device.Name, interrupts, receives);
            return null;
        }

        refusal = "";
        return new NetworkQueues(
            device.Name, device.NodeId, [.. receive.Select(static number => number!.Value)], SendsOf(found, receives, sends));
    }

    /// <summary>A queue's file, such as <c>xps_cpus</c>.</summary>
    public string ReceiveFile(int queue, string name) => Of($"queues/rx-{ToolText.Number(queue)}/{name}");

    /// <inheritdoc cref="ReceiveFile"/>
    public string SendFile(int queue, string name) => Of($"queues/tx-{ToolText.Number(queue)}/{name}");

    /// <summary>A file of the interface.</summary>
    public string Of(string name) => $"{Classes}/{Name}/{name}";

    private static int Count(TreeReader files, string name, string kind)
    {
        var folder = $"{Classes}/{name}/queues";
        var count = 0;
        while (files.IsFolder($"{folder}/{kind}-{ToolText.Number(count)}"))
        {
            count++;
        }

        return count;
    }

    private static List<QueueInterrupt> Identify(string name, (int Number, string Name)[] interrupts, int receives)
    {
        // An interface without several queues names its only interrupt after itself.
        if (receives == 1 && interrupts is [var only] && only.Name == name)
        {
            return [new QueueInterrupt(only.Number, QueueKind.Both, 0)];
        }

        var found = interrupts.Select(static one => Parse(one.Number, one.Name)).OfType<QueueInterrupt>().ToList();
        return found.Count > 0
            ? found
            : [.. interrupts.Select(one => ParseNumbered(one.Number, one.Name, name)).OfType<QueueInterrupt>()];
    }

    // Two interrupts that name one queue: which one it is cannot be known.
    private static int?[] QueuesOf(IReadOnlyList<QueueInterrupt> found, int count, Func<QueueKind, bool> belongs) =>
    [
        .. Enumerable.Range(0, count).Select(queue =>
            found.Where(interrupt => interrupt.Queue == queue && belongs(interrupt.Kind)).ToArray() is [var only]
                ? only.Number
                : (int?)null),
    ];

    // bnxt counts the interrupts of transmit queues on from those of the receive queues. An interrupt of both kinds beyond the
    // receive queues serves something else (mlx5 has one per CPU, however many queues there are).
    private static int?[] SendsOf(List<QueueInterrupt> found, int receives, int sends)
    {
        var own = found.Where(static interrupt => interrupt.Kind == QueueKind.Send).ToArray();
        var isCountedOn = own.Length == sends && own.Length > 0 && own.Min(static interrupt => interrupt.Queue) == receives;
        var first = isCountedOn ? receives : 0;
        return QueuesOf(
            [
                .. own.Select(interrupt => interrupt with { Queue = interrupt.Queue - first }),
                .. found.Where(interrupt => interrupt.Kind == QueueKind.Both && interrupt.Queue < receives),
            ],
            sends,
            static kind => kind != QueueKind.Receive);
    }

    private static QueueInterrupt? Parse(int number, string name)
    {
        if (QueueName().Match(name) is not { Success: true } match
            || name.Contains(":fdir-", StringComparison.Ordinal)
            || name.Contains(":ctrl-", StringComparison.Ordinal)
            || !int.TryParse(match.Groups["queue"].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out var queue))
        {
            return null;
        }

        var kind = match.Groups["receive"].Success ? QueueKind.Receive
            : match.Groups["send"].Success ? QueueKind.Send
            : QueueKind.Both;
        return new QueueInterrupt(number, kind, queue);
    }

    // sfc: "eth0-3". Only where no interrupt has a name that says more.
    private static QueueInterrupt? ParseNumbered(int number, string name, string device) =>
        name.StartsWith($"{device}-", StringComparison.Ordinal)
        && int.TryParse(name.AsSpan(device.Length + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var queue)
            ? new QueueInterrupt(number, QueueKind.Both, queue)
            : null;

    private static string Describe(TreeReader files, string device, (int Number, string Name)[] interrupts, int receives)
    {
        if (files.Read($"{Classes}/{device}/{State}") == "down")
        {
            return "it is down";
        }

        var names = interrupts.Take(NamesShown).Select(static one => one.Name.Length > 0
            ? $"'{one.Name}'"
            : $"{ToolText.Number(one.Number)} (without a name)");
        return interrupts.Length == 0
            ? "it has no message-signalled interrupts (msi_irqs)"
            : $"its receive queues are {CpuSet.Range(0, receives)}, and the names of its interrupts do not say which is whose: "
                + $"{string.Join(", ", names)}{(interrupts.Length > NamesShown ? ", ..." : "")}";
    }

    // igb, ixgbe, i40e, ice, bnxt "eth0-TxRx-3", ena "eth0-Tx-Rx-3", vmxnet3 "eth0-rxtx-3", bnx2x and qede "eth0-fp-3",
    // mlx5 "mlx5_comp3@pci:0000:81:00.0", virtio "virtio2-input.3" and "virtio2-output.3", igb and e1000e "eth0-rx-0". i40e
    // and ice have another for their flow director, "i40e-0000:04:00.0:fdir-TxRx-0" and "ice-0000:c4:00.0:ctrl-TxRx-0".
    [GeneratedRegex(
        "(?:^|[-._])(?:tx-?rx|rx-?tx|fp|comp|(?<receive>rx|input)|(?<send>tx|output))[-.]?(?<queue>[0-9]{1,4})(?:@.*)?$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture,
        1000)]
    private static partial Regex QueueName();

    private enum QueueKind
    {
        Both,
        Receive,
        Send,
    }

    private sealed record QueueInterrupt(int Number, QueueKind Kind, int Queue);
}
