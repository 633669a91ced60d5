using System.Globalization;
using System.Numerics;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Plan;

namespace NumaSharp.Tool.Tune;

/// <summary>What the user asks of <c>tune</c>.</summary>
/// <param name="Interfaces">The interfaces to tune; none: all that can be.</param>
/// <param name="SpreadsReceives">Whether a queue's packets are spread over its CPUs in software (RPS).</param>
/// <param name="FlowEntries">The size of the table of flows (RFS), a power of two, or 0 for none.</param>
/// <param name="AdaptiveReceive">Whether the device decides how long it collects packets before it interrupts.</param>
/// <param name="ReceiveMicroseconds">How long it collects them.</param>
internal sealed record TuneRequest(
    IReadOnlyList<string> Interfaces,
    bool SpreadsReceives = false,
    int? FlowEntries = null,
    bool? AdaptiveReceive = null,
    int? ReceiveMicroseconds = null);

/// <summary>A receive queue, and where its packets are to be received.</summary>
/// <param name="Interface">The interface.</param>
/// <param name="Queue">Its number.</param>
/// <param name="Interrupt">The number of its interrupt.</param>
/// <param name="NodeId">The node that it serves.</param>
/// <param name="CpusNow">The CPUs that its interrupt may go to now.</param>
/// <param name="Cpu">The one that it should go to.</param>
internal sealed record TunedReceive(
    string Interface, int Queue, int Interrupt, NumaNodeId NodeId, CpuSet CpusNow, int Cpu);

/// <summary>A transmit queue, and the CPUs that send with it (XPS).</summary>
/// <param name="Interface">The interface.</param>
/// <param name="Queue">Its number.</param>
/// <param name="CpusNow">Those that do now.</param>
/// <param name="Cpus">Those that should.</param>
internal sealed record TunedSend(string Interface, int Queue, CpuSet CpusNow, CpuSet Cpus);

/// <summary>
/// The kernel's settings with which an interface's queue, the event loop of its connections and their memory are on one node.
/// Reads them; changes nothing.
/// </summary>
internal sealed class TunePlan
{
    private readonly TreeReader _files;
    private readonly IKernelSettings _settings;
    private readonly PlannedHost _host;
    private readonly TuneRequest _request;
    private readonly List<TunedReceive> _receives = [];
    private readonly List<TunedSend> _sends = [];
    private readonly List<KernelSetting> _wanted = [];
    private readonly List<string> _notes = [];
    private readonly Dictionary<NumaNodeId, int> _taken = [];

    /// <exception cref="ToolException">
    /// The settings switch NUMA off, or what was asked for by name is not there: an interface, or a setting of one.
    /// </exception>
    public TunePlan(TreeReader files, IKernelSettings settings, PlannedHost host, TuneRequest request)
    {
        (_files, _settings, _host, _request) = (files, settings, host, request);
        if (!host.Plan.IsEnabled)
        {
            throw new ToolException("Numa:Enabled is false: no loop is pinned, so there is no node to bring queues to.");
        }

        ReadInterface[] all = [.. host.Plan.Topology.NetworkDevices.Select(device => ReadInterface.Of(files, device))];
        var owners = FindOwners(all);
        foreach (var one in Choose(all))
        {
            Add(one, owners);
        }

        if (request.FlowEntries is { } entries)
        {
            AddAsked(KernelSetting.FlowTable, ToolText.Number(entries), "--rfs");
        }

        Balancer = FindProcess("irqbalance") is { } processId
            ? $"irqbalance (process {processId}) would move the interrupts again: stop it first."
            : null;
    }

    public IReadOnlyList<TunedReceive> Receives => _receives;

    public IReadOnlyList<TunedSend> Sends => _sends;

    /// <summary>All settings that were looked at, in the order in which they are to be set.</summary>
    public IReadOnlyList<KernelSetting> Settings => _wanted;

    /// <summary>The settings that have to change.</summary>
    public IReadOnlyList<KernelSetting> Changes => [.. _wanted.Where(static setting => !setting.IsSet)];

    /// <summary>What is left out, and why; what stays far away.</summary>
    public IReadOnlyList<string> Notes => Balancer is null ? _notes : [.. _notes, Balancer];

    /// <summary>Why nothing can be applied: a program runs that would undo it.</summary>
    public string? Balancer { get; }

    private IEnumerable<ReadInterface> Choose(ReadInterface[] all)
    {
        var names = all.Select(static one => one.Name).ToArray();
        var unknown = _request.Interfaces.Except(names, StringComparer.Ordinal).ToArray();
        if (unknown.Length > 0)
        {
            throw new ToolException(
                $"--interface '{unknown[0]}' is not an interface with hardware behind it; those are "
                + (names.Length == 0 ? "none." : $"{string.Join(", ", names)}."));
        }

        if (names.Length == 0)
        {
            _notes.Add("This machine has no network interface with hardware behind it.");
        }

        return _request.Interfaces.Count == 0
            ? all
            : all.Where(one => _request.Interfaces.Contains(one.Name, StringComparer.Ordinal));
    }

    // Ports of a switch in the card have its interrupts. It is the one that these are named after, or else the first by name.
    private Dictionary<int, string> FindOwners(ReadInterface[] all) =>
        all.Select(static one => one.Queues).OfType<NetworkQueues>()
            .SelectMany(static one => one.Receive, static (one, number) => (one.Name, Number: number))
            .GroupBy(static one => one.Number)
            .ToDictionary(static same => same.Key, same => same.Select(static one => one.Name)
                .OrderByDescending(name => NameOf(same.Key).StartsWith($"{name}-", StringComparison.Ordinal))
                .ThenBy(static name => name, StringComparer.Ordinal)
                .First());

    private string NameOf(int interrupt) =>
        _files.Read(NetworkDeviceFiles.InterruptName(ToolText.Number(interrupt))) ?? "";

    private void Add(ReadInterface one, Dictionary<int, string> owners)
    {
        var refusal = one.Refusal;
        if (one.Queues is { } queues)
        {
            var owner = owners[queues.Receive[0]];
            if (owner == one.Name)
            {
                Add(queues);
                return;
            }

            refusal = $"it has the interrupts of {owner}";
        }

        var reason = $"{one.Name} cannot be tuned: {refusal}.";
        if (_request.Interfaces.Count > 0)
        {
            throw new ToolException(reason);
        }

        _notes.Add(reason);
    }

    private void Add(NetworkQueues queues)
    {
        var placement = new QueuePlacement(_host.Plan, queues.NodeId, queues.Receive.Count, _taken);
        foreach (var node in placement.Without)
        {
            _notes.Add(
                $"{queues.Name} has fewer queues than there are nodes with loops: packets for connections on node {node} arrive "
                + "on another. Numa:Binding:NetworkDevice keeps loops on the interface's node.");
        }

        // First: some drivers set the device up again, and their interrupts with it.
        AddCoalescing(queues.Name);
        var cpus = placement.CpusByQueue();
        AddReceives(queues, placement, cpus);
        AddSends(queues, placement, cpus);
        AddPolling(queues);
    }

    private void AddCoalescing(string device)
    {
        if (_request.AdaptiveReceive is { } isAdaptive)
        {
            AddAsked(KernelSetting.Ethtool(device, Coalescing.AdaptiveReceive), isAdaptive ? "on" : "off", "--adaptive-rx");
        }

        if (_request.ReceiveMicroseconds is { } microseconds)
        {
            AddAsked(
                KernelSetting.Ethtool(device, Coalescing.ReceiveMicroseconds), ToolText.Number(microseconds), "--rx-usecs");
        }
    }

    private void AddReceives(NetworkQueues queues, QueuePlacement placement, IReadOnlyList<CpuSet> cpus)
    {
        for (var queue = 0; queue < queues.Receive.Count; queue++)
        {
            var (interrupt, node, cpu) = (queues.Receive[queue], placement.NodeOf(queue), placement.CpuOf(queue));
            _taken[node] = _taken.GetValueOrDefault(node) + 1;
            var now = _files.ReadList(KernelSetting.Affinity(interrupt)) ?? CpuSet.Empty;
            _receives.Add(new TunedReceive(queues.Name, queue, interrupt, node, now, cpu));
            AddInterrupt(interrupt, cpu);
            AddSpread(queues, queue, placement.NodeCpusOf(queue), cpus[queue]);
            if (_request.FlowEntries is { } entries)
            {
                // Each queue's part: a power of two, as the table.
                var part = entries / (int)BitOperations.RoundUpToPowerOf2((uint)queues.Receive.Count);
                AddAsked(
                    queues.ReceiveFile(queue, NetworkQueues.FlowCount),
                    ToolText.Number(Math.Max(part, Math.Min(entries, 1))),
                    "--rfs");
            }
        }
    }

    private void AddSpread(NetworkQueues queues, int queue, CpuSet node, CpuSet cpus)
    {
        var file = queues.ReceiveFile(queue, NetworkQueues.SpreadCpus);
        if (_request.SpreadsReceives)
        {
            // The kernel leaves isolated ones out (rps_cpumask_housekeeping).
            var spread = cpus.Intersect(node).Except(_host.Plan.Topology.IsolatedCpus);
            if (spread.IsEmpty)
            {
                _notes.Add($"Receive queue {queue} of {queues.Name} has only isolated CPUs: its packets are not spread.");
            }
            else
            {
                AddAsked(file, spread.ToMaskString(), "--rps");
            }
        }
        else if (MaskOf(file) is { } now && !now.IsSubsetOf(node))
        {
            _notes.Add(
                $"Receive queue {queue} of {queues.Name} spreads its packets over CPUs of other nodes "
                + $"({NetworkQueues.SpreadCpus}: {now}); --rps keeps them on its node.");
        }
    }

    // A transmit queue goes with the receive queue whose interrupt it shares, or else with the one of its number.
    private void AddSends(NetworkQueues queues, QueuePlacement placement, IReadOnlyList<CpuSet> cpus)
    {
        var hasClasses = Enumerable.Range(0, queues.Send.Count)
            .Select(queue => _files.Read(queues.SendFile(queue, NetworkQueues.TrafficClass))).Distinct().Count() > 1;
        if (hasClasses)
        {
            _notes.Add($"{queues.Name} has transmit queues for several traffic classes (mqprio): their CPUs stay as they are.");
        }

        var receives = queues.Receive.ToList();
        for (var queue = 0; queue < queues.Send.Count; queue++)
        {
            var shared = queues.Send[queue] is { } number ? receives.IndexOf(number) : -1;
            var receive = shared >= 0 ? shared : queue % receives.Count;
            if (shared < 0 && queues.Send[queue] is { } own)
            {
                AddInterrupt(own, placement.CpuOf(receive));
            }

            // An interface with one transmit queue has none (ENOENT).
            var file = queues.SendFile(queue, NetworkQueues.SendCpus);
            if (!hasClasses && MaskOf(file) is { } now)
            {
                _sends.Add(new TunedSend(queues.Name, queue, now, cpus[receive]));
                TryAdd(file, cpus[receive].ToMaskString());
            }
        }
    }

    // The figures of the patch that added it to the kernel (7fd3253a7de6), where the device has none.
    private void AddPolling(NetworkQueues queues)
    {
        if (_host.Options.Transport is { EpollPreferBusyPoll: true } transport && transport.EpollBusyPoll > TimeSpan.Zero)
        {
            AddUnlessSet(queues.Of(NetworkQueues.DeferInterrupts), "2");
            AddUnlessSet(queues.Of(NetworkQueues.FlushTimeout), "200000");
        }
    }

    private void AddInterrupt(int number, int cpu) =>
        TryAdd(KernelSetting.Affinity(number), ToolText.Number(cpu), NameOf(number));

    private void AddUnlessSet(string name, string value)
    {
        if (_settings.Read(name) is { } now && (now == "0" || now == value))
        {
            _wanted.Add(new KernelSetting(name, now, value));
        }
    }

    private void AddAsked(string name, string value, string option)
    {
        if (!TryAdd(name, value))
        {
            throw new ToolException($"{option}: the kernel or the driver has no {name}.");
        }
    }

    private bool TryAdd(string name, string value, string? interrupt = null)
    {
        if (_settings.Read(name) is not { } now)
        {
            return false;
        }

        _wanted.Add(new KernelSetting(name, now, value, interrupt));
        return true;
    }

    private CpuSet? MaskOf(string file) =>
        _files.Read(file) is { } text && CpuSet.TryParseMask(text, out var mask) ? mask : null;

    private int? FindProcess(string name) => _files.List("proc")
        .Where(static id => id.All(char.IsAsciiDigit))
        .Where(id => _files.Read($"proc/{id}/comm") == name)
        .Select(static id => (int?)int.Parse(id, CultureInfo.InvariantCulture))
        .FirstOrDefault();

    private sealed record ReadInterface(string Name, NetworkQueues? Queues, string Refusal)
    {
        public static ReadInterface Of(TreeReader files, NumaNetworkDevice device)
        {
            var queues = NetworkQueues.TryRead(files, device, out var refusal);
            return new ReadInterface(device.Name, queues, refusal);
        }
    }
}
