using System.Globalization;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// The trees that the facts of the real machines were found in. They are not part of the repository: they are looked for
/// beside it, or where NUMASHARP_HWLOC_DATA says.
/// </summary>
public static class RawTrees
{
    // A figure that no machine has: the trees' README asks to compare the ids there, not the bytes.
    private const string MadeUpMemory = "2i386-2t-hugepagesizecount";

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

    private static readonly string s_answers = Path.Join(s_directory, "expected.json");

    /// <summary>The names of the trees; where they are not there, of all machines, so that each test of one says so.</summary>
    public static IReadOnlyList<string> Names { get; } = File.Exists(s_answers) ? [.. ReadAnswers().Keys] : RealMachines.Names;

    /// <summary>Skips where the trees' names and answers are not there.</summary>
    public static void SkipUnlessThere() => Assert.SkipUnless(File.Exists(s_answers), $"{s_answers} is not there.");

    /// <summary>What hwloc answers for one of them.</summary>
    public static MachineAnswers AnswersFor(string name)
    {
        SkipUnlessThere();
        var answers = ReadAnswers()[name];
        var memory = answers.EnumerateObject()
            .Where(answer => name != MadeUpMemory && answer.Name is ("memoryBytes" or "memoryRounded"))
            .SelectMany(static answer => answer.Value.EnumerateObject());
        return new MachineAnswers(
            CpuSet.ParseList(answers.GetProperty("cpus").GetString()!),
            CpuSet.FromIds(answers.GetProperty("memoryNodes").EnumerateArray().Select(static id => id.GetInt32())),
            [.. memory.Select(static node => (int.Parse(node.Name, CultureInfo.InvariantCulture), node.Value.ToString()))]);
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

    private static Dictionary<string, JsonElement> ReadAnswers() =>
        JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(File.ReadAllText(s_answers))!;
}
