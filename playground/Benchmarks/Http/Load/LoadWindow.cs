using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>
/// The part of a run whose CPU time counts: all of it, unless the load begins it later, when all of its connections are open, and
/// ends it before it closes them.
/// </summary>
internal sealed class LoadWindow(ProcessCpuClock server)
{
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _before;
    private long? _after;

    /// <summary>Completes when it begins.</summary>
    public Task Begun => _begun.Task;

    public void Begin()
    {
        _before = server.ReadNanoseconds();
        _begun.SetResult();
    }

    /// <summary>The first call counts.</summary>
    /// <returns>CPU time of the server from the beginning to the end.</returns>
    public long End()
    {
        _after ??= server.ReadNanoseconds();
        return _after.Value - _before;
    }
}
