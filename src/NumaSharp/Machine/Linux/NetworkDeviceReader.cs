using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>Reads the network interfaces that have hardware behind them (Documentation/ABI/testing/sysfs-class-net).</summary>
internal sealed class NetworkDeviceReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const string Folder = "class/net";
    private const string NoNode = "-1";
    private const int MaxDevices = 1024;
    private const int MaxAncestors = 6;

    /// <param name="nodes">The nodes that the machine has.</param>
    public IReadOnlyList<NumaNetworkDevice> Read(CpuSet nodes) =>
    [
        .. sysfs.ListNames(Folder)
            .Order(StringComparer.Ordinal)
            .Where(name => sysfs.DirectoryExists($"{Folder}/{name}/device") && IsPrintable(name))
            .Take(MaxDevices)
            .Select(name => new NumaNetworkDevice(name, ReadNode($"{Folder}/{name}/device", nodes))),
    ];

    // The bus decides which device has the file: for virtio and USB it is the PCI function above the device itself.
    private NumaNodeId? ReadNode(string device, CpuSet nodes)
    {
        for (var above = 0; above <= MaxAncestors; above++, device += "/..")
        {
            var reading = sysfs.Read($"{device}/numa_node");
            if (!reading.IsMissing)
            {
                return NodeOf(reading, nodes);
            }
        }

        return null;
    }

    private NumaNodeId? NodeOf(FileReading reading, CpuSet nodes)
    {
        if (reading.Text == NoNode)
        {
            return null;
        }

        if (int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var node) && nodes.Contains(node))
        {
            return new NumaNodeId(node);
        }

        warnings.Add(
            $"{reading.Describe()}; one of the nodes {NumaTopologyException.Quote(nodes.ToString())} or -1 is allowed; the node "
            + "of the interface is unknown.");
        return null;
    }

    // The kernel refuses white space only, but names end up in logs and terminals.
    private bool IsPrintable(string name)
    {
        if (!name.Any(static character => char.IsControl(character) || char.IsWhiteSpace(character)))
        {
            return true;
        }

        warnings.Add($"{sysfs.PathOf(Folder)}: the interface '{NumaTopologyException.Quote(name)}' is left out for its name.");
        return false;
    }
}
