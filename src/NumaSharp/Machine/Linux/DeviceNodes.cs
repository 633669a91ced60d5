using System.Globalization;

namespace NumaSharp.Core.Topology;

/// <summary>
/// Finds nodes that are a GPU's memory: the NVIDIA driver names them in driver/nvidia/gpus/*/numa_status as "Node: 250"
/// (-1 where the memory is not a node).
/// </summary>
internal static class DeviceNodes
{
    private const string Folder = "driver/nvidia/gpus";
    private const int MaxGpus = 1024;

    public static IReadOnlyList<RawNode> Mark(SysfsReader proc, IReadOnlyList<RawNode> nodes)
    {
        var devices = new HashSet<int>();
        foreach (var gpu in proc.ListNames(Folder).Take(MaxGpus))
        {
            var status = proc.Read($"{Folder}/{gpu}/numa_status");
            if (KernelText.TryFindField(status.Text, "Node", out var value)
                && int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var id))
            {
                devices.Add(id);
            }
        }

        // A node with CPUs is never only a device, whatever a driver says.
        return [.. nodes.Select(node => node with { IsDevice = node.Cpus.IsEmpty && devices.Contains(node.Id) })];
    }
}
