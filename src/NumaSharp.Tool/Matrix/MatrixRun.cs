using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>Measures cell by cell: nothing else runs in this process meanwhile.</summary>
internal sealed class MatrixRun(NumaPlatform platform, NumaTopology topology, TimeProvider time)
{
    private const string TooLate = "not reached within --time-limit";

    /// <summary>Measures all cells of the plan.</summary>
    /// <param name="plan">Rows, columns and size.</param>
    /// <param name="request">Repeats and time.</param>
    /// <param name="progress">Receives the number of completed cells.</param>
    /// <param name="cancellation">Ends it between two passes over a buffer.</param>
    public async Task<NodeMatrix> MeasureAsync(
        MatrixPlan plan, MatrixRequest request, IProgress<int> progress, CancellationToken cancellation)
    {
        var started = time.GetTimestamp();
        var columns = new List<MatrixColumn>();
        var cells = new Dictionary<(MatrixRow Row, NumaNodeId NodeId), MatrixCell>();
        foreach (var node in plan.Columns)
        {
            cancellation.ThrowIfCancellationRequested();
            var isLate = time.GetElapsedTime(started) >= request.TimeLimit;
            var (buffer, column) = isLate
                ? (null, new MatrixColumn(node.Id, "none", 0, 0, null, TooLate))
                : await NodeBuffer.CreateAsync(platform, topology, node, plan.SizeBytes);
            columns.Add(column);
            using (buffer)
            {
                foreach (var row in plan.Rows)
                {
                    var canBegin = buffer is not null && time.GetElapsedTime(started) < request.TimeLimit;
                    cells[(row, node.Id)] = canBegin
                        ? await MeasureCellAsync(row, buffer!, request.Repeat, cancellation)
                        : new MatrixCell(row, node.Id, null, column.Reason ?? TooLate);
                    progress.Report(cells.Count);
                }
            }
        }

        return new NodeMatrix(
            plan,
            request.Repeat,
            columns,
            [.. plan.Rows.SelectMany(row => plan.Columns.Select(node => cells[(row, node.Id)]))]);
    }

    private async Task<MatrixCell> MeasureCellAsync(
        MatrixRow row, NodeBuffer buffer, int repeat, CancellationToken cancellation)
    {
        var cell = await MeasureOnAsync(CpuSet.FromIds(row.Cpu), row, buffer, repeat, cancellation);
        var nodeCpus = topology.FindNode(row.NodeId)!.Cpus;

        // A system that cannot pin lets threads run on the whole machine; on a single node, that is what was asked for.
        return cell.Figures is null && topology.NodeCount == 1
            ? await MeasureOnAsync(nodeCpus, row, buffer, repeat, cancellation)
            : cell;
    }

    private Task<MatrixCell> MeasureOnAsync(
        CpuSet cpus, MatrixRow row, NodeBuffer buffer, int repeat, CancellationToken cancellation) =>
        PinnedWork.RunAsync(
            platform.Affinity,
            cpus,
            pinned => pinned.Succeeded
                ? new MatrixCell(
                    row, buffer.Column.NodeId, new CellMeasurement(time, repeat).Measure(buffer, cancellation), Reason: null)
                : new MatrixCell(row, buffer.Column.NodeId, null, $"the thread could not be pinned to CPU {row.Cpu} ({pinned})"));
}
