using System.Text.Json;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// The trees that the facts of the real machines were found in. They are not part of the repository: they are looked for
/// beside it, or where NUMASHARP_HWLOC_DATA says.
/// </summary>
internal static class RawTrees
{
    // More than half of all files, of no use to a topology reader: unpacking and deleting them takes minutes on a busy disk.
    private static readonly string[] s_excluded =
    [
        "*/sys/bus", "*/sys/class/[!n]*", "*/sys/block", "*/sys/firmware", "*/sys/kernel/[!m]*", "*/sys/devices/[!psv]*",
        "*/sys/devices/pl*", "*/sys/devices/system/[!cn]*", "*/node[0-9]*/memory[0-9]*", "*/cpu[0-9]*/cpu[fi]*", "*/crash_*",
        "*/power", "*/uevent", "*_of_*", "*_line_*", "*_policy", "*/subsystem*", "*/sys/*/driver*", "*/firmware_node",
        "*/msi_*", "*/resource*", "*/statistics", "*/queues", "*/infiniband*", "*/usb[0-9]*", "*/ata[0-9]*", "*/host[0-9]*",
        "*/sound", "*/slot[0-9]*", "*/run",
    ];

    private static readonly string s_directory =
        Environment.GetEnvironmentVariable("NUMASHARP_HWLOC_DATA") ?? Repository.PathOf("..", "shared", "data", "hwloc");

    /// <summary>The names of the trees; skips where there are none.</summary>
    public static IReadOnlyList<string> Names()
    {
        var path = Path.Join(s_directory, "expected.json");
        Assert.SkipUnless(File.Exists(path), $"{path} is not there.");
        return [.. JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(File.ReadAllText(path))!.Keys];
    }

    /// <summary>Unpacks one with tar, because .NET has no bzip2.</summary>
    /// <returns>The folder that has its sys and proc.</returns>
    public static async Task<string> ExtractAsync(string name, string destination)
    {
        var path = Path.Join(s_directory, $"{name}.tar.bz2");
        Assert.SkipUnless(File.Exists(path), $"{path} is not there.");
        ExternalProgram.SkipUnlessThere("tar");
        ExternalProgram.SkipUnlessThere("bzip2");
        string[] arguments =
            ["-xjf", path, "--no-same-owner", "-C", destination, .. s_excluded.Select(static pattern => $"--exclude={pattern}")];
        await ExternalProgram.RunAsync("tar", arguments);
        return Directory.GetDirectories(destination).Single();
    }
}
