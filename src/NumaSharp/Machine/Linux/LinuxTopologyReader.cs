namespace NumaSharp.Core.Linux;

/// <summary>One reading of a machine: what it has, what this process may use of it, and what had to be guessed.</summary>
internal sealed class LinuxTopologyReader(MachineFiles files)
{
    private const int LocalDistance = 10;

    private readonly TopologyWarnings _warnings = new();

    /// <summary>As <see cref="CpusetLimits.PartitionFiles"/>, of the last reading.</summary>
    public IReadOnlyList<string> PartitionFiles { get; private set; } = [];

    public NumaTopology Read(string source)
    {
        var running = files.IsLive ? ReadRunnableCpus() : CpuSet.Empty;
        var affinity = running.IsEmpty ? ReadStatus("Cpus_allowed") : new CpusetLimit(running, "sched_getaffinity");
        var online = new OnlineCpuReader(files.Sysfs, _warnings).Read(running);
        var nodes = ReadNodes(online);
        var cpusets = new CpusetReader(files, _warnings).Read();
        PartitionFiles = cpusets.PartitionFiles;
        var cpus = Narrow(Narrow(online, affinity), cpusets.Cpus);
        var memory = ReadAllowedMemory(nodes, cpusets.Mems);
        var details = new NodeDetails(files, _warnings);
        NumaNode[] usable =
        [
            .. nodes.Where(node => memory.Contains(node.Id) || node.Cpus.Overlaps(cpus))
                .Select(node => details.Describe(node, node.Cpus.Intersect(cpus), memory.Contains(node.Id))),
        ];
        var cores = new CoreReader(files.Sysfs, _warnings).Read(online);
        var caches = new CacheReader(files.Sysfs, _warnings).Read(online, cores);
        var isolated = new IsolatedCpuReader(files, _warnings).Read().Union(cpusets.Isolated);
        var shown = CpuSet.FromIds(nodes.Select(static node => node.Id));
        var devices = new NetworkDeviceReader(files.Sysfs, _warnings).Read(shown);
        var limit = new MemoryLimitReader(files, _warnings).Read();
        return new NumaTopology(source, usable, _warnings.ToLines())
        {
            Cores = cores,
            LastLevelCaches = caches,
            IsolatedCpus = isolated,
            NetworkDevices = devices,
            MemoryLimitBytes = limit,
            HasAutomaticInterleaveWeights = new InterleaveWeights(files.Sysfs).AreAutomatic,
        };
    }

    // Devices are kept apart: a cpuset with device memory only must not count as one that leaves something.
    private CpuSet ReadAllowedMemory(IReadOnlyList<RawNode> nodes, CpusetLimit? cpuset)
    {
        var status = ReadStatus("Mems_allowed");
        var ordinary = Narrow(Narrow(WithMemory(nodes, isDevice: false), status), cpuset);
        var devices = WithMemory(nodes, isDevice: true);
        devices = status is null ? devices : devices.Intersect(status.Ids);
        return ordinary.Union(cpuset is null ? devices : devices.Intersect(cpuset.Ids));
    }

    private static CpuSet WithMemory(IReadOnlyList<RawNode> nodes, bool isDevice) =>
        CpuSet.FromIds(nodes.Where(node => node.HasMemory && node.IsDevice == isDevice).Select(static node => node.Id));

    private IReadOnlyList<RawNode> ReadNodes(CpuSet online)
    {
        var nodes = new NodeReader(files.Sysfs, _warnings).Read(online);
        if (nodes.Count == 0)
        {
            return [ReadWithoutNuma(online)];
        }

        nodes = DeviceNodes.Mark(files.Proc, new NodeRepair(files.Sysfs, _warnings).Repair(nodes, online));
        if (nodes.Any(static node => node is { HasMemory: true, IsDevice: false }))
        {
            return nodes;
        }

        _warnings.Add(
            $"{files.Sysfs.PathOf(NodeReader.Folder)}: no node shows memory; each node with CPUs is taken to have some.");
        return [.. nodes.Select(static node => node with { HasMemory = node.HasMemory || !node.Cpus.IsEmpty })];
    }

    private RawNode ReadWithoutNuma(CpuSet online)
    {
        var meminfo = files.Proc.Read("meminfo");
        if (!KernelText.TryParseMeminfo(meminfo.Text, out var memory))
        {
            _warnings.Add($"{meminfo.Describe()}; without 'MemTotal: N kB' the size of the memory is unknown.");
        }

        return new RawNode(0)
        {
            Cpus = online,
            Memory = memory,
            HasMemory = true,
            IsMachine = true,
            Distances = new Dictionary<int, int> { [0] = LocalDistance },
        };
    }

    // The main thread's mask, which the runtime uses, too: a reading on a pinned library thread must not see only its CPUs.
    private CpuSet ReadRunnableCpus()
    {
        var result = ThreadMask.Read(Environment.ProcessId, out var cpus);
        if (!result.Succeeded)
        {
            _warnings.Add($"sched_getaffinity failed ({result.ErrorName}); {files.Proc.PathOf("self/status")} is read instead.");
        }

        return cpus;
    }

    private CpusetLimit? ReadStatus(string field)
    {
        var status = files.Proc.Read("self/status");
        if (!status.Succeeded)
        {
            _warnings.AddUnlessMissing(status, $"everything counts as allowed by {field}");
            return null;
        }

        var hasList = KernelText.TryFindField(status.Text, field + "_list", out var list);
        if (hasList && KernelText.TryParseList(list, out var ids))
        {
            return new CpusetLimit(ids, status.Path);
        }

        var hasMask = KernelText.TryFindField(status.Text, field, out var mask);
        if (hasMask && CpuSet.TryParseMask(mask, out ids))
        {
            return new CpusetLimit(ids, status.Path);
        }

        if (hasList || hasMask)
        {
            var value = NumaTopologyException.Quote((hasList ? list : mask).ToString());
            _warnings.Add($"{status.Path}: {field} '{value}' is neither a list nor a mask; everything counts as allowed.");
        }

        return null;
    }

    // A limit that leaves nothing contradicts the fact that this process runs: it was misread or has just changed.
    private CpuSet Narrow(CpuSet set, CpusetLimit? limit)
    {
        if (limit is null || set.IsEmpty)
        {
            return set;
        }

        var rest = set.Intersect(limit.Ids);
        if (!rest.IsEmpty)
        {
            return rest;
        }

        var (ids, all) = (NumaTopologyException.Quote(limit.Ids.ToString()), NumaTopologyException.Quote(set.ToString()));
        _warnings.Add($"{limit.Source}: '{ids}' leaves none of {all}; the limit is ignored.");
        return set;
    }
}
