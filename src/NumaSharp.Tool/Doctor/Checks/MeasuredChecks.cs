using System.Globalization;
using NumaSharp.Scheduling;
using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>What pinning gains or costs here (<c>--measure</c>).</summary>
internal sealed class MeasuredPinningCheck() : DoctorCheck("measured-pinning")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Measured?.Pinning is not { } pinning)
        {
            yield break;
        }

        var evidence = new Evidence("trial of the plan's threads", pinning.ToString());
        yield return pinning.Costs
            ? Found(Severity.Warning, "Pinned threads do less here than floating ones.", PinningTrialResult.Remedy, evidence)
            : Found(
                Severity.Info,
                pinning.Reason is not null ? "What pinning gains could not be measured."
                    : pinning.Pays ? "Pinned threads do more here than floating ones."
                    : pinning.MakesNoDifference ? "Pinned threads do as much here as floating ones."
                    : "Whether pinned threads do more here than floating ones cannot be said: the turns disagree.",
                "none needed",
                evidence);
    }
}

/// <summary>How far other nodes' memory is (<c>--measure</c>).</summary>
internal sealed class MeasuredMemoryCheck() : DoctorCheck("measured-memory")
{
    private const string Advice = "numasharp matrix measures all nodes, and with more memory";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Measured?.Memory is not { } memory)
        {
            yield break;
        }

        var evidence = memory.Cells.Select(static cell => new Evidence(
            string.Create(CultureInfo.InvariantCulture, $"CPU {cell.Row.Cpu}, memory of node {cell.NodeId}"), Describe(cell)));
        yield return Found(Severity.Info, Compare(memory), Advice, [.. evidence]);
    }

    private static string Compare(NodeMatrix memory)
    {
        var own = memory.Cells.FirstOrDefault(static cell => cell.NodeId == cell.Row.NodeId)?.Figures;
        var far = memory.Cells.Where(static cell => cell.NodeId != cell.Row.NodeId && cell.Figures is not null)
            .MaxBy(static cell => cell.Figures!.LatencyNanoseconds);
        return own is null || far is null
            ? "How far other nodes' memory is could not be measured."
            : string.Create(
                CultureInfo.InvariantCulture,
                $"A read of node {far.NodeId}'s memory takes {far.Figures!.LatencyNanoseconds / own.LatencyNanoseconds:0.0} ")
                + "times as long as one of the own node's.";
    }

    private static string Describe(MatrixCell cell) => cell.Figures is not { } figures
        ? $"not measured: {cell.Reason}"
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{figures.LatencyNanoseconds:0} ns, {figures.GigabytesPerSecond:0.0} GB/s");
}
