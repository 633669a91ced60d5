using System.Globalization;

namespace NumaSharp.Tool.Machine;

/// <summary>Files of the hardware behind a network interface. The bus decides who has them: for virtio it is the PCI function above.</summary>
internal static class NetworkDeviceFiles
{
    public const string InterruptsFolder = "msi_irqs";

    private const int MaxAncestors = 6;

    /// <summary>Where a file or folder of the nearest device is, or <see langword="null"/>.</summary>
    /// <param name="files">The machine.</param>
    /// <param name="device">The interface's <c>device</c>, a link on a live machine.</param>
    /// <param name="name">Such as <c>numa_node</c>.</param>
    public static string? Find(TreeReader files, string device, string name)
    {
        var folder = device;
        for (var above = 0; above <= MaxAncestors; above++, folder += "/..")
        {
            var path = $"{folder}/{name}";
            if (files.IsFolder(path) || files.ReadBytes(path) is not null)
            {
                return path;
            }
        }

        return null;
    }

    /// <summary>The numbers of its interrupts (sysfs-bus-pci, "msi_irqs").</summary>
    public static IEnumerable<int> Interrupts(TreeReader files, string device) =>
        (Find(files, device, InterruptsFolder) is { } folder ? files.List(folder) : [])
            .Select(static name =>
                int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1)
            .Where(static number => number >= 0);
}
