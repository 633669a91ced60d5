using System.Diagnostics;
using System.Text.Json;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// Trees of real machines with the answers of hwloc. They are not part of the repository: they are looked for beside it, or
/// where NUMASHARP_HWLOC_DATA says.
/// </summary>
internal static class HwlocArchives
{
    // More than half of all files, of no use to a topology reader: unpacking and deleting them takes minutes on a busy disk.
    private static readonly string[] s_excluded =
    [
        "*/sys/bus", "*/sys/class/[!n]*", "*/sys/block", "*/sys/firmware", "*/sys/kernel/[!m]*", "*/sys/devices/[!psv]*",
        "*/sys/devices/pl*", "*/sys/devices/system/[!cn]*", "*/node[0-9]*/memory[0-9]*", "*/cpu[0-9]*/cpu[fi]*", "*/crash_*",
        "*/power", "*/uevent", "*_of_*", "*_line_*", "*_policy", "*/die_*", "*/cluster_*",
        "*/subsystem*", "*/sys/*/driver*", "*/firmware_node", "*/msi_*", "*/resource*", "*/statistics", "*/queues",
        "*/infiniband*", "*/usb[0-9]*", "*/ata[0-9]*", "*/host[0-9]*", "*/sound", "*/slot[0-9]*", "*/run",
    ];

    private static readonly Lazy<Dictionary<string, JsonElement>?> s_expected = new(ReadExpected);

    public static string Directory { get; } = Environment.GetEnvironmentVariable("NUMASHARP_HWLOC_DATA")
        ?? Path.GetFullPath(Path.Join(FindRepository(), "..", "shared", "data", "hwloc"));

    public static JsonElement Expected(string name)
    {
        Assert.SkipWhen(s_expected.Value is null, $"{Directory}/expected.json is not there.");
        return s_expected.Value![name];
    }

    public static IEnumerable<string> ExpectedNames() => s_expected.Value?.Keys ?? Enumerable.Empty<string>();

    /// <summary>Unpacks an archive with tar, because .NET has no bzip2.</summary>
    public static string Extract(string archive, string destination)
    {
        var path = Path.Join(Directory, archive);
        Assert.SkipUnless(File.Exists(path), $"{path} is not there.");
        Assert.SkipUnless(IsOnPath("tar") && IsOnPath("bzip2"), "The tools tar and bzip2 are needed to unpack the archives.");
        string[] arguments =
            ["-xjf", path, "--no-same-owner", "-C", destination, .. s_excluded.Select(static pattern => $"--exclude={pattern}")];
        var start = new ProcessStartInfo("tar", arguments) { RedirectStandardError = true };
        using var tar = Process.Start(start)!;
        var errors = tar.StandardError.ReadToEnd();
        Assert.True(tar.WaitForExit(TimeSpan.FromMinutes(2)), "tar does not end");
        Assert.True(tar.ExitCode == 0, errors);
        return System.IO.Directory.GetDirectories(destination).Single();
    }

    private static bool IsOnPath(string tool) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator)
        .Any(directory => File.Exists(Path.Join(directory, tool)));

    private static string FindRepository()
    {
        var directory = new DirectoryInfo(AppContext.BaseDirectory);
        while (directory is not null && !File.Exists(Path.Join(directory.FullName, "NumaSharp.Hosting.sln")))
        {
            directory = directory.Parent;
        }

        return directory?.FullName ?? AppContext.BaseDirectory;
    }

    private static Dictionary<string, JsonElement>? ReadExpected()
    {
        var path = Path.Join(Directory, "expected.json");
        return File.Exists(path)
            ? JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(File.ReadAllText(path))
            : null;
    }
}
