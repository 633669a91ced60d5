using System.Globalization;

namespace NumaSharp.Tool.Machine;

/// <summary>
/// Files of the hardware behind a network interface. The bus determines where they are: for virtio, at the PCI function above.
/// </summary>
internal static class NetworkDeviceFiles
{
    public const string InterruptsFolder = "msi_irqs";

    private const int MaxAncestors = 6;

    /// <summary>The path of a file or folder of the nearest device, or <see langword="null"/>.</summary>
    /// <param name="files">The machine.</param>
    /// <param name="device">Such as <c>sys/class/net/eth0/device</c>: on a live machine a link below a link.</param>
    /// <param name="name">Such as <c>numa_node</c>.</param>
    public static string? Find(TreeReader files, string device, string name)
    {
        // Step by step: the BCL removes ".." from a path before it resolves links.
        var folder = files.Follow($"{files.Follow(Path.GetDirectoryName(device)!)}/{Path.GetFileName(device)}");
        for (var above = 0; above <= MaxAncestors && !string.IsNullOrEmpty(folder); above++)
        {
            var path = $"{folder}/{name}";
            if (files.IsFolder(path) || files.ReadBytes(path) is not null)
            {
                return path;
            }

            folder = Path.GetDirectoryName(folder);
        }

        return null;
    }

    /// <summary>The file with the name that a driver gave an interrupt (sysfs-kernel-irq, "actions"; Linux 4.9).</summary>
    public static string InterruptName(string number) => $"sys/kernel/irq/{number}/actions";

    /// <summary>The numbers of its interrupts (sysfs-bus-pci, "msi_irqs").</summary>
    public static IEnumerable<int> Interrupts(TreeReader files, string device) =>
        (Find(files, device, InterruptsFolder) is { } folder ? files.List(folder) : [])
            .Select(static name =>
                int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1)
            .Where(static number => number >= 0);
}
