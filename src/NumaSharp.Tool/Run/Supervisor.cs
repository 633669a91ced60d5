using System.ComponentModel;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>Runs one process per node until all have ended. Signals may come from any thread.</summary>
internal sealed class Supervisor(
    NodeCommand command, SupervisorOptions options, OutputLines lines, TimeProvider time) : IDisposable
{
    private readonly SpawnThread _spawner = new();
    private readonly CancellationTokenSource _stopping = new();
    private readonly Lock _lock = new();
    private readonly HashSet<NodeChild> _children = [];
    private ITimer? _killTimer;
    private int _nodeCount;
    private int _stopSignal;
    private bool _stopGroups;
    private int _failure;

    /// <summary>Starts the processes and waits for them.</summary>
    /// <returns>0, or the exit code of the process that failed first.</returns>
    public async Task<int> RunAsync(IReadOnlyList<NodeProcess> nodes)
    {
        _nodeCount = nodes.Count;
        await Task.WhenAll(nodes.Select(SuperviseAsync));
        return _failure;
    }

    /// <summary>Forwards a signal that has no meaning for the supervisor.</summary>
    /// <param name="signal">Its number.</param>
    /// <param name="toGroups">Whether it also goes to processes started by them, as a terminal's signals do.</param>
    public void Forward(int signal, bool toGroups = false)
    {
        lock (_lock)
        {
            foreach (var child in _children)
            {
                child.Signal(signal, toGroups);
            }
        }
    }

    /// <summary>Forwards a signal to stop the processes: none is restarted, and after a timeout they are killed.</summary>
    /// <param name="signal">Its number.</param>
    /// <param name="toGroups">Whether it also goes to processes started by them, as a terminal's signals do.</param>
    public void Stop(int signal, bool toGroups = false)
    {
        lock (_lock)
        {
            (_stopSignal, _stopGroups) = (signal, toGroups);
            _killTimer ??= time.CreateTimer(_ => Kill(), null, options.StopTimeout, Timeout.InfiniteTimeSpan);
        }

        _stopping.Cancel();
        Forward(signal, toGroups);
    }

    public void Dispose()
    {
        _killTimer?.Dispose();
        _stopping.Dispose();
        _spawner.Dispose();
    }

    private async Task SuperviseAsync(NodeProcess node)
    {
        var delay = new RestartDelay(options.RestartDelay, options.RestartLimit);
        while (!_stopping.IsCancellationRequested)
        {
            var started = time.GetTimestamp();
            var code = await RunOnceAsync(node);
            if (code == ExitCodes.Success)
            {
                return;
            }

            if (!options.Restart || _stopping.IsCancellationRequested)
            {
                Fail(node, code);
                return;
            }

            var wait = delay.After(time.GetElapsedTime(started));
            lines.Say(node.NodeId, $"exited with code {code}; restarting it in {wait.TotalSeconds:0.###} s.");
            await Task.Delay(wait, time, _stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stopping.IsCancellationRequested)
            {
                Fail(node, code);
            }
        }
    }

    private async Task<int> RunOnceAsync(NodeProcess node)
    {
        NodeChild child;
        try
        {
            child = await NodeChild.StartAsync(node, command, _spawner, lines, time);
        }
        catch (Win32Exception exception)
        {
            lines.Say(node.NodeId, $"'{command.Launcher.FileName}' cannot be started: {exception.Message}");
            return ExitCodes.CannotPlace;
        }

        using (child)
        {
            // Added before it runs: a program that has written something gets every signal.
            Add(child);
            try
            {
                child.Run(command);
                return await child.WaitAsync();
            }
            finally
            {
                lock (_lock)
                {
                    _children.Remove(child);
                }
            }
        }
    }

    // Killed first: without a reader of our output, the message may block forever.
    private void Kill()
    {
        NumaNodeId[] late;
        lock (_lock)
        {
            late = [.. _children.Where(static child => !child.HasEnded).Select(static child => child.NodeId)];
            Forward(ProcessCalls.SIGKILL);
        }

        Array.ForEach(late, nodeId =>
            lines.Say(nodeId, $"did not exit within {options.StopTimeout.TotalSeconds:0.###} s; killing it."));
    }

    // A stop during its start has not reached it.
    private void Add(NodeChild child)
    {
        lock (_lock)
        {
            _children.Add(child);
            if (_stopSignal != 0)
            {
                child.Signal(_stopSignal, _stopGroups);
            }
        }
    }

    private void Fail(NodeProcess node, int code)
    {
        var isFirst = Interlocked.CompareExchange(ref _failure, code, 0) == 0;
        if (isFirst && !_stopping.IsCancellationRequested)
        {
            var others = _nodeCount > 1 ? "stopping the others" : "it was the only one";
            lines.Say(node.NodeId, $"exited with code {code}; {others}.");
            Stop(ProcessCalls.SIGTERM);
        }
    }
}

/// <summary>How the supervisor handles the end of a process.</summary>
internal sealed record SupervisorOptions
{
    /// <summary>Whether to restart a process that failed.</summary>
    public bool Restart { get; init; }

    /// <summary>The wait before the first restart.</summary>
    public TimeSpan RestartDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait before a restart; after a run of that length the waits start over.</summary>
    public TimeSpan RestartLimit { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How long processes may take to end after a stop; then they are killed.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(30);
}

/// <summary>The wait before a restart: doubles each time up to a limit, and starts over after a healthy run.</summary>
/// <param name="first">The first wait.</param>
/// <param name="limit">The longest wait, and how long a run must last to count as healthy.</param>
internal sealed class RestartDelay(TimeSpan first, TimeSpan limit)
{
    private TimeSpan? _next;

    /// <summary>The wait after a run.</summary>
    /// <param name="ran">How long the run lasted.</param>
    public TimeSpan After(TimeSpan ran)
    {
        var delay = ran < limit && _next is { } next ? next : first;
        _next = delay < limit / 2 ? delay * 2 : limit;
        return delay;
    }
}
