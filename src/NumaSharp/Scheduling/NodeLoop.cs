namespace NumaSharp.Scheduling;

/// <summary>One loop over the data of all nodes.</summary>
internal sealed class NodeLoop(NumaTaskScheduler scheduler, int[] lengths, CancellationToken cancellationToken)
{
    private readonly NodeRanges _ranges = new(scheduler, lengths);
    private volatile bool _hasFailed;

    public bool MayGoOn => !_hasFailed && !cancellationToken.IsCancellationRequested;

    public Task Run(Action<NodeLoop, NumaRange> body) => scheduler.RunOnAllWorkers(group => RunOn(group, body));

    private async Task RunOn(WorkerGroup home, Action<NodeLoop, NumaRange> body)
    {
        do
        {
            // Behind what waits there; and back home when another node's worker has taken the last part.
            await new NumaSwitchAwaitable(home, isYield: true);
            cancellationToken.ThrowIfCancellationRequested();
        }
        while (!_hasFailed && TryTake(home, out var range) && RunBody(body, range));
    }

    // Under NodeStrict from the data of the home node, also when the scheduler has ended and this runs on the thread pool:
    // nobody else takes it.
    private bool TryTake(WorkerGroup home, out NumaRange range) =>
        scheduler.Policy == NumaSchedulingPolicy.NodeStrict
            ? _ranges.TryTakeServedBy(home.NodeIndex, out range)
            : _ranges.TryTake(out range);

    private bool RunBody(Action<NodeLoop, NumaRange> body, NumaRange range)
    {
        try
        {
            body(this, range);
            return true;
        }
        catch
        {
            _hasFailed = true;
            throw;
        }
    }
}
