using System.Globalization;

namespace NumaSharp.TestKit;

/// <content>Cores, caches and devices.</content>
public sealed partial class MachineTree
{
    /// <summary>A CPU's place as kernels since 5.3 show it.</summary>
    public MachineTree Cpu(int cpu, int package, int core, string siblings) =>
        Write($"{CpuFolder(cpu)}/topology/core_cpus_list", $"{siblings}\n")
            .Write($"{CpuFolder(cpu)}/topology/physical_package_id", Line(package))
            .Write($"{CpuFolder(cpu)}/topology/core_id", Line(core));

    /// <summary>One of the caches that a CPU sees.</summary>
    public MachineTree Cache(int cpu, int index, int level, string type, string size, string shared) =>
        Write($"{CacheFolder(cpu, index)}/level", Line(level))
            .Write($"{CacheFolder(cpu, index)}/type", $"{type}\n")
            .Write($"{CacheFolder(cpu, index)}/size", $"{size}\n")
            .Write($"{CacheFolder(cpu, index)}/shared_cpu_list", $"{shared}\n");

    public MachineTree HugePages(string folder, int kilobytes, long total, long free)
    {
        var pool = string.Create(CultureInfo.InvariantCulture, $"{folder}/hugepages-{kilobytes}kB");
        return Write($"{pool}/nr_hugepages", Line(total)).Write($"{pool}/free_hugepages", Line(free));
    }

    /// <summary>What HMAT promises of a node; the figures are read and write latency, read and write bandwidth.</summary>
    public MachineTree Access(int node, int accessClass, int[] initiators, params int[] figures)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"{NodeFolder(node)}/access{accessClass}/initiators");
        string[] names = ["read_latency", "write_latency", "read_bandwidth", "write_bandwidth"];
        foreach (var (name, figure) in names.Zip(figures))
        {
            Write($"{folder}/{name}", Line(figure));
        }

        foreach (var initiator in initiators)
        {
            Link(string.Create(CultureInfo.InvariantCulture, $"{folder}/node{initiator}"), $"../../../node{initiator}");
        }

        return this;
    }

    /// <summary>An interface of a PCI function, or of a virtio device below it.</summary>
    public MachineTree NetworkDevice(string name, string? numaNode, bool isVirtio = false)
    {
        var function = $"sys/devices/pci0000:00/{name}.0";
        var device = isVirtio ? $"{function}/virtio0" : function;
        Directory.CreateDirectory(PathOf($"{device}/net/{name}"));
        if (numaNode is not null)
        {
            Write($"{function}/numa_node", $"{numaNode}\n");
        }

        return Link($"{device}/net/{name}/device", isVirtio ? "../../../virtio0" : $"../../../{name}.0")
            .Link($"sys/class/net/{name}", PathOf($"{device}/net/{name}"));
    }

    /// <summary>
    /// The queues of an interface that <see cref="NetworkDevice"/> made, and its interrupts, which may go to CPUs 0-7. As in the
    /// kernel, an interface with one transmit queue has no xps_cpus.
    /// </summary>
    public MachineTree NetworkQueues(string name, int receives, int sends, int firstInterrupt, params string[] actions)
    {
        foreach (var (index, action) in actions.Index())
        {
            var number = (firstInterrupt + index).ToString(CultureInfo.InvariantCulture);
            Write($"sys/devices/pci0000:00/{name}.0/msi_irqs/{number}", "msix\n")
                .Write($"sys/kernel/irq/{number}/actions", $"{action}\n")
                .Write($"proc/irq/{number}/smp_affinity_list", "0-7\n");
        }

        for (var queue = 0; queue < receives; queue++)
        {
            var folder = string.Create(CultureInfo.InvariantCulture, $"sys/class/net/{name}/queues/rx-{queue}");
            Write($"{folder}/rps_cpus", "00\n").Write($"{folder}/rps_flow_cnt", "0\n");
        }

        for (var queue = 0; queue < sends; queue++)
        {
            var folder = string.Create(CultureInfo.InvariantCulture, $"sys/class/net/{name}/queues/tx-{queue}");
            Write($"{folder}/{(sends > 1 ? "xps_cpus" : "tx_timeout")}", "00\n");
        }

        return this;
    }

    public static string CpuFolder(int cpu) =>
        string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/cpu/cpu{cpu}");

    public static string NodeFolder(int node) =>
        string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/node/node{node}");

    private static string CacheFolder(int cpu, int index) =>
        string.Create(CultureInfo.InvariantCulture, $"{CpuFolder(cpu)}/cache/index{index}");

    private static string Line(long value) => string.Create(CultureInfo.InvariantCulture, $"{value}\n");
}
