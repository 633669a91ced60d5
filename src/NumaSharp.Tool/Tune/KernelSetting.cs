using System.Text;
using System.Text.Json.Serialization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Tune;

/// <summary>A setting of the kernel: what it is, and what it should be.</summary>
/// <param name="Name">
/// A file, such as <c>proc/irq/40/smp_affinity_list</c>, or one of ethtool's words, as <c>ethtool:eth0:rx-usecs</c>.
/// </param>
/// <param name="Before">Its value; empty where only the machine itself could say.</param>
/// <param name="After">The value that it should have.</param>
/// <param name="Interrupt">The name of the interrupt, which may have another number later.</param>
internal sealed record KernelSetting(string Name, string Before, string After, string? Interrupt = null)
{
    private const string EthtoolPrefix = "ethtool:";
    private const string InterruptPrefix = "proc/irq/";
    private const string AffinityFile = "smp_affinity_list";
    private const int MaxDigits = 9;

    private static readonly string[] s_deviceFiles = [NetworkQueues.DeferInterrupts, NetworkQueues.FlushTimeout];
    private static readonly string[] s_queueFiles =
        [NetworkQueues.SendCpus, NetworkQueues.SpreadCpus, NetworkQueues.FlowCount];

    /// <summary>The size of the table of flows (networking/scaling, "RFS").</summary>
    public const string FlowTable = "proc/sys/net/core/rps_sock_flow_entries";

    /// <summary>Whether nothing is to be done.</summary>
    [JsonIgnore]
    public bool IsSet => AreSame(Name, Before, After);

    /// <summary>Whether it is one of those that tune changes, with values of its kind: a record may come from anywhere.</summary>
    [JsonIgnore]
    public bool IsTunable => IsKnown(Name) && IsValue(Name, Before) && IsValue(Name, After);

    public static string Affinity(int interrupt) => $"{InterruptPrefix}{ToolText.Number(interrupt)}/{AffinityFile}";

    public static string Ethtool(string device, string word) => $"{EthtoolPrefix}{device}:{word}";

    /// <summary>Takes the name of a setting of ethtool apart.</summary>
    public static bool TryGetEthtool(string name, out string device, out string word)
    {
        var colon = name.LastIndexOf(':');
        var isEthtool = name.StartsWith(EthtoolPrefix, StringComparison.Ordinal) && colon > EthtoolPrefix.Length;
        (device, word) = isEthtool ? (name[EthtoolPrefix.Length..colon], name[(colon + 1)..]) : ("", "");
        return isEthtool;
    }

    /// <summary>The file with the interrupt's name; <see langword="null"/> for another setting.</summary>
    public static string? InterruptNameOf(string name) =>
        name.StartsWith(InterruptPrefix, StringComparison.Ordinal)
            ? NetworkDeviceFiles.InterruptName(name.Split('/')[2])
            : null;

    /// <summary>Whether two values of a setting say the same: the kernel pads masks, for example.</summary>
    public static bool AreSame(string name, string one, string other) => KindOf(name) switch
    {
        ValueKind.List => CpuSet.TryParseList(one, out var left) && CpuSet.TryParseList(other, out var right) && left == right,
        ValueKind.Mask => CpuSet.TryParseMask(one, out var left) && CpuSet.TryParseMask(other, out var right) && left == right,
        _ => one == other,
    };

    private static bool IsKnown(string name) =>
        name == FlowTable
        || (TryGetEthtool(name, out _, out var word) && word is Coalescing.AdaptiveReceive or Coalescing.ReceiveMicroseconds)
        || (!name.Contains('\0', StringComparison.Ordinal) && name.Split('/') switch
        {
            ["proc", "irq", not "..", AffinityFile] => true,
            ["sys", "class", "net", not "..", var file] => s_deviceFiles.Contains(file),
            ["sys", "class", "net", not "..", "queues", not "..", var file] => s_queueFiles.Contains(file),
            _ => false,
        });

    private static bool IsValue(string name, string value) => KindOf(name) switch
    {
        ValueKind.Number => value.Length is > 0 and <= MaxDigits && value.All(char.IsAsciiDigit),
        ValueKind.Switch => value is "on" or "off",
        _ => AreSame(name, value, value),
    };

    private static ValueKind KindOf(string name) =>
        name.EndsWith("_list", StringComparison.Ordinal) ? ValueKind.List
        : name.EndsWith("_cpus", StringComparison.Ordinal) ? ValueKind.Mask
        : name.EndsWith($":{Coalescing.AdaptiveReceive}", StringComparison.Ordinal) ? ValueKind.Switch
        : ValueKind.Number;

    private enum ValueKind
    {
        Number,
        List,
        Mask,
        Switch,
    }
}

/// <summary>Reads and writes the kernel's settings.</summary>
internal interface IKernelSettings
{
    /// <summary>The value, or <see langword="null"/> if the machine has no such setting.</summary>
    string? Read(string name);

    /// <summary>Writes a value.</summary>
    /// <returns>What is wrong; <see langword="null"/> if nothing is.</returns>
    string? TryWrite(string name, string value);
}

/// <summary>The settings of a machine.</summary>
/// <param name="files">Its files.</param>
/// <param name="isLive">Whether it is this machine, whose drivers can be asked.</param>
internal sealed class MachineSettings(TreeReader files, bool isLive) : IKernelSettings
{
    public string? Read(string name) =>
        !KernelSetting.TryGetEthtool(name, out var device, out var word) ? files.Read(name)
        : !isLive ? ""
        : Coalescing.TryRead(device, out var coalescing).Succeeded ? coalescing.Get(word)
        : null;

    public string? TryWrite(string name, string value) => KernelSetting.TryGetEthtool(name, out var device, out var word)
        ? TrySetCoalescing(device, word, value)
        : TryWriteFile(name, value);

    private static string? TrySetCoalescing(string device, string word, string value)
    {
        var result = Coalescing.TryRead(device, out var coalescing);
        if (result.Succeeded)
        {
            coalescing.Set(word, value);
            result = coalescing.TryWrite(device);
        }

        return result.Succeeded ? null : result.ErrorName;
    }

    // In one write(2): each is a command.
    private string? TryWriteFile(string name, string value)
    {
        try
        {
            using var handle = File.OpenHandle(
                files.PathOf(name), FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            RandomAccess.Write(handle, Encoding.ASCII.GetBytes($"{value}\n"), 0);
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return ToolText.OneLine(exception.Message);
        }
    }
}
