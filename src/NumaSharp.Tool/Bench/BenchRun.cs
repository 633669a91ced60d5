using System.ComponentModel;
using NumaSharp.Core;
using NumaSharp.Tool.Matrix;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Bench;

/// <summary>What rows measure with.</summary>
/// <param name="Platform">Pins threads, binds memory.</param>
/// <param name="Topology">The machine.</param>
/// <param name="Lengths">How long it takes.</param>
/// <param name="Launcher">Starts this program again, as a server.</param>
/// <param name="Cancellation">Ends it between two runs.</param>
internal sealed record BenchContext(
    NumaPlatform Platform,
    NumaTopology Topology,
    BenchLengths Lengths,
    LauncherProgram Launcher,
    CancellationToken Cancellation)
{
    public BenchCpus Cpus { get; } = BenchCpus.Choose(Topology);

    /// <summary>Limits the start of servers; figures are CPU time.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The node of the CPU that is measured.</summary>
    public NumaNode Node => Topology.Nodes[Topology.IndexOfCpu(Cpus.Measured)];

    public BenchContest Contest => new(Lengths, Cancellation);
}

/// <summary>One CPU for what is measured, and another for the clients of a server: on the same node, on another core.</summary>
/// <param name="Measured">The CPU of the thread or server that is measured.</param>
/// <param name="Clients">The CPU of its clients; the same one where there is no other.</param>
/// <param name="Note">What is not as it should be.</param>
internal sealed record BenchCpus(int Measured, int Clients, string? Note)
{
    public static BenchCpus Choose(NumaTopology topology)
    {
        var measured = topology.AllowedCpus.First;
        var node = topology.Nodes[topology.IndexOfCpu(measured)];
        var others = topology.AllowedCpus.Except(CpuSet.FromIds(measured));
        var apart = others.Except(topology.FindCore(measured)?.Cpus ?? CpuSet.Empty);
        if (others.IsEmpty)
        {
            return new BenchCpus(measured, measured, "There is one CPU: a server shares it with its clients.");
        }

        CpuSet[] choices = [apart.Intersect(node.Cpus), apart, others];
        return new BenchCpus(
            measured,
            choices.First(static cpus => !cpus.IsEmpty).First,
            apart.IsEmpty ? "A server and its clients are on two hardware threads of one core." : null);
    }
}

/// <summary>A comparison.</summary>
/// <param name="Name">Unique.</param>
/// <param name="Peer">The other side.</param>
/// <param name="Unit">The unit of the figures; less is better.</param>
/// <param name="IsPinned">Whether the thread that measures is pinned to <see cref="BenchCpus.Measured"/>.</param>
/// <param name="Measure">
/// Measures on the calling thread. A <see cref="NumaException"/>, or what else the machine refuses (<see cref="BenchRun"/>), says
/// why it cannot.
/// </param>
internal sealed record BenchRow(
    string Name, string Peer, string Unit, bool IsPinned, Func<BenchContext, BenchRound[]> Measure);

/// <summary>Measures row by row: nothing else runs in this process meanwhile.</summary>
internal sealed class BenchRun(BenchContext context)
{
    private const string ThreadName = "numasharp-bench";

    /// <summary>Measures the rows.</summary>
    /// <param name="rows">The rows.</param>
    /// <param name="progress">Receives the number of completed rows.</param>
    public async Task<BenchResult[]> MeasureAsync(IReadOnlyList<BenchRow> rows, IProgress<int> progress)
    {
        var results = new BenchResult[rows.Count];

        // First those on all CPUs: NativeAOT gives a thread the CPUs of the one that starts it, so that a pinned row could leave
        // threads in the pool that are on one CPU.
        foreach (var (done, i) in Enumerable.Range(0, rows.Count).OrderBy(row => rows[row].IsPinned).Index())
        {
            context.Cancellation.ThrowIfCancellationRequested();
            results[i] = await MeasureAsync(rows[i]);
            progress.Report(done + 1);
        }

        return results;
    }

    private async Task<BenchResult> MeasureAsync(BenchRow row)
    {
        var cpus = row.IsPinned ? CpuSet.FromIds(context.Cpus.Measured) : context.Topology.AllowedCpus;
        try
        {
            return BenchResult.Of(row, await PinnedWork.RunAsync(
                context.Platform.Affinity,
                cpus,
                pinned => pinned.Succeeded
                    ? row.Measure(context)
                    : throw new NumaException($"the thread could not be pinned to CPUs {cpus} ({pinned})"),
                ThreadName));
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            // After a Ctrl-C, which also ends the servers, this is not the reason.
            context.Cancellation.ThrowIfCancellationRequested();
            return BenchResult.WithoutFigures(row, exception.Message);
        }
    }

    // What the machine, its limits or a server can cause. All else is an error of this program, and ends it.
    private static bool IsRefusal(Exception exception) => exception
        is NumaException

        // Processes, sockets (a SocketException is a Win32Exception), pipes, the current folder.
        or Win32Exception or IOException or UnauthorizedAccessException

        // Limits of memory and of threads; either is thrown where a thread cannot start.
        or OutOfMemoryException or ThreadStartException

        // Work that ended without a result, though not by a Ctrl-C.
        or OperationCanceledException;
}

/// <summary>A row: the figures of the round with the median ratio.</summary>
/// <param name="Row">The comparison.</param>
/// <param name="Round">The figures, or <see langword="null"/> if it could not be measured.</param>
/// <param name="Spread">Half of the distance between the quartiles of the ratios, as a share of the median.</param>
/// <param name="Reason">Why it could not be measured.</param>
internal sealed record BenchResult(BenchRow Row, BenchRound? Round, double Spread, string? Reason)
{
    public static BenchResult Of(BenchRow row, BenchRound[] rounds)
    {
        var sorted = rounds.OrderBy(static round => round.Ratio).ToArray();
        var middle = At(50);
        return double.IsFinite(middle.Ratio) && middle.Ours > 0
            ? new BenchResult(row, middle, (At(75).Ratio - At(25).Ratio) / 2 / middle.Ratio, Reason: null)
            : WithoutFigures(row, "the clock has not moved");

        // Nearest rank.
        BenchRound At(int percent) => sorted[(int)Math.Ceiling(sorted.Length * percent / 100.0) - 1];
    }

    public static BenchResult WithoutFigures(BenchRow row, string reason) => new(row, Round: null, Spread: 0, reason);
}
