using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;
using Spectre.Console;

namespace NumaSharp.Tool.Tune;

/// <summary>What <c>tune</c> would change, for people and as a shell script.</summary>
internal static class TuneView
{
    private const string Head = """
        #!/bin/sh
        # Queues of network interfaces, by numasharp tune. An interrupt is found by its name: its number may be another one when
        # the machine has been restarted.
        set -eu
        interrupt() {
            files=$(grep -lxF -e "$1" /sys/kernel/irq/*/actions) || { echo "There is no interrupt $1." >&2; exit 1; }
            for file in $files; do
                number=${file#/sys/kernel/irq/}
                echo "$2" > "/proc/irq/${number%/actions}/smp_affinity_list"
            done
        }

        """;

    public static void Write(IAnsiConsole screen, TunePlan plan)
    {
        WriteTables(screen, plan);
        foreach (var setting in plan.Changes.Where(setting => !IsInTable(plan, setting)))
        {
            WriteLine(screen, $"{setting.Name}: {(setting.Before.Length > 0 ? setting.Before : "?")} -> {setting.After}");
        }

        foreach (var note in plan.Notes)
        {
            WriteLine(screen, note);
        }

        var (changes, all) = (plan.Changes.Count, plan.Settings.Count);
        WriteLine(screen, changes == 0
            ? $"Nothing to change ({all} settings)."
            : $"{changes} of {all} settings differ: 'numasharp tune --apply' changes them, '--script' prints the commands.");
    }

    /// <summary>All settings, also those that are as wanted: it is for a machine that has just started.</summary>
    public static void WriteScript(TextWriter output, TunePlan plan)
    {
        output.Write(Head);
        foreach (var setting in plan.Settings)
        {
            output.WriteLine(CommandOf(setting));
        }
    }

    internal static string CommandOf(KernelSetting setting) =>
        KernelSetting.TryGetEthtool(setting.Name, out var device, out var word)
            ? $"ethtool -C {ToolText.Quote(device)} {word} {setting.After} || [ $? = 80 ] # 80: it is set"
            : setting.Interrupt is { } interrupt
                ? $"interrupt {ToolText.Quote(interrupt)} {setting.After}"
                : $"echo {setting.After} > {ToolText.Quote($"/{setting.Name}")}";

    private static void WriteTables(IAnsiConsole screen, TunePlan plan)
    {
        if (plan.Receives.Count > 0)
        {
            var table = new ToolTable("Interface", "Receive queue", "Interrupt", "Node", "CPU");
            foreach (var queue in plan.Receives)
            {
                table.AddRow(
                    ToolText.OneLine(queue.Interface),
                    ToolText.Number(queue.Queue),
                    ToolText.Number(queue.Interrupt),
                    ToolText.Number(queue.NodeId.Value),
                    Change(queue.CpusNow, CpuSet.FromIds(queue.Cpu)));
            }

            table.Write(screen);
        }

        if (plan.Sends.Count > 0)
        {
            var table = new ToolTable("Interface", "Transmit queue", "Sending CPUs");
            foreach (var queue in plan.Sends)
            {
                table.AddRow(
                    ToolText.OneLine(queue.Interface), ToolText.Number(queue.Queue), Change(queue.CpusNow, queue.Cpus));
            }

            table.Write(screen);
        }
    }

    private static string Change(CpuSet now, CpuSet then) =>
        now == then ? then.ToString() : $"{(now.IsEmpty ? "none" : now)} -> {then}";

    private static bool IsInTable(TunePlan plan, KernelSetting setting) =>
        setting.Name.EndsWith($"/{NetworkQueues.SendCpus}", StringComparison.Ordinal)
        || plan.Receives.Any(queue => setting.Name == KernelSetting.Affinity(queue.Interrupt));

    private static void WriteLine(IAnsiConsole screen, string text)
    {
        screen.Write(new Text(ToolText.OneLine(text)));
        screen.WriteLine();
    }
}

/// <summary>The output of <c>tune --format json</c> (docs/guide/tune.md).</summary>
/// <param name="Receives">Where packets are received.</param>
/// <param name="Sends">Which CPUs send with which queue.</param>
/// <param name="Changes">The settings that differ.</param>
/// <param name="Notes">What is left out, and why.</param>
internal sealed record TuneDocument(
    IReadOnlyList<TunedReceive> Receives,
    IReadOnlyList<TunedSend> Sends,
    IReadOnlyList<KernelSetting> Changes,
    IReadOnlyList<string> Notes)
{
    public static TuneDocument Of(TunePlan plan) => new(plan.Receives, plan.Sends, plan.Changes, plan.Notes);
}
