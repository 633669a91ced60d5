using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Doctor;

/// <summary>What <c>doctor --measure</c> has measured. The machine is busy meanwhile.</summary>
/// <param name="Pinning">What pinning gains or costs.</param>
/// <param name="Memory">How far the nodes' memory is from the first CPU of the plan; <see langword="null"/> on one node.</param>
internal sealed record Measurements(PinningTrialResult Pinning, NodeMatrix? Memory)
{
    // Several times a core's own caches. The last-level cache may hold it where nothing else needs that: `matrix` is exact.
    private const long BytesPerNode = 64 << 20;

    /// <summary>Takes them, one after the other.</summary>
    public static async Task<Measurements> TakeAsync(NumaPlatform platform, NumaPlan plan, CancellationToken cancellation)
    {
        var pinning = plan.IsEnabled
            ? new PinningTrial(plan, platform.Affinity).Run(cancellation)
            : PinningTrialResult.Refused("placement is turned off");
        return new(pinning, plan.Topology.MemoryNodes.Count > 1 ? await MeasureAsync(platform, plan, cancellation) : null);
    }

    private static Task<NodeMatrix> MeasureAsync(NumaPlatform platform, NumaPlan plan, CancellationToken cancellation)
    {
        var request = new MatrixRequest
        {
            Cpus = CpuSet.FromIds(plan.Nodes.First(static node => node.ServesItself).Cpus.First),
            SizeBytes = BytesPerNode,
            Repeat = 1,
        };
        return new MatrixRun(platform, plan.Topology, TimeProvider.System)
            .MeasureAsync(MatrixPlan.Create(plan.Topology, request), request, new Progress<int>(), cancellation);
    }
}
