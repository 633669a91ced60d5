using System.Globalization;

namespace NumaSharp.Plugins.HugePages.Tests;

/// <summary>This machine's pool of pages of 2 MiB, with so many that are free; as it was, at the end.</summary>
internal sealed class HugePagePool : IDisposable
{
    private const string Folder = "/sys/devices/system/node/node0/hugepages/hugepages-2048kB";

    private readonly long _before;

    public HugePagePool(int free)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "huge pages of this plugin are Linux's");
        Assert.SkipUnless(File.Exists($"{Folder}/nr_hugepages"), "this kernel has no pool of 2 MiB pages for node 0");
        Assert.SkipUnless(
            Directory.GetDirectories("/sys/devices/system/node", "node*").Length == 1,
            "this machine has several nodes, whose pools others may use");
        _before = Read("nr_hugepages");
        var wanted = _before - Read("free_hugepages") + free;
        try
        {
            Write(wanted);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException)
        {
            Assert.Skip($"nr_hugepages cannot be written ({exception.GetType().Name}): this needs root");
        }

        if (Read("free_hugepages") != free)
        {
            Dispose();
            Assert.Skip($"the kernel did not make exactly {free} huge pages: memory is short or fragmented");
        }
    }

    public static long Free => Read("free_hugepages");

    public void Dispose() => Write(_before);

    private static long Read(string name) =>
        long.Parse(File.ReadAllText($"{Folder}/{name}"), CultureInfo.InvariantCulture);

    private static void Write(long pages) =>
        File.WriteAllText($"{Folder}/nr_hugepages", pages.ToString(CultureInfo.InvariantCulture));
}
