using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>
/// The part of a run whose CPU time counts: all of it, unless the load begins it later, when all of its connections are open, and
/// ends it before it closes them.
/// </summary>
/// <param name="server">The server's clock.</param>
/// <param name="untilQuiet">Completes when no server works any more; null where nothing is waited for.</param>
internal sealed class LoadWindow(ProcessCpuClock server, Func<CancellationToken, Task>? untilQuiet = null)
{
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _before;
    private long? _after;

    /// <summary>Completes when it begins.</summary>
    public Task Begun => _begun.Task;

    /// <summary>When what connecting has left behind is over, such as a collection, or hot methods to be compiled.</summary>
    public async Task BeginQuietlyAsync(CancellationToken cancellation)
    {
        if (untilQuiet is not null)
        {
            await untilQuiet(cancellation);
        }

        Begin();
    }

    public void Begin()
    {
        _before = server.ReadNanoseconds();
        _begun.SetResult();
    }

    /// <summary>The first call counts.</summary>
    /// <returns>CPU time of the server from the beginning to the end.</returns>
    /// <exception cref="InvalidOperationException">It has not begun.</exception>
    public long End()
    {
        if (!Begun.IsCompleted)
        {
            throw new InvalidOperationException("The load has not begun the window.");
        }

        _after ??= server.ReadNanoseconds();
        return _after.Value - _before;
    }
}
