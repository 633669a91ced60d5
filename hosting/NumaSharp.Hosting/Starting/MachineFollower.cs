using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Logging;

namespace NumaSharp.Hosting.Starting;

/// <summary>Has threads and memory follow a machine that changes, as often as the settings say.</summary>
internal sealed class MachineFollower(NumaPlanMonitor monitor, ILoggerFactory loggers)
{
    private readonly Lock _lock = new();
    private bool _isStarted;

    /// <summary>Looks at intervals from now on; 0: not at all.</summary>
    public void SetInterval(TimeSpan interval)
    {
        lock (_lock)
        {
            if (_isStarted)
            {
                monitor.SetInterval(interval);
            }
            else if (interval > TimeSpan.Zero && monitor.Plan.IsEnabled)
            {
                Start(interval);
            }
        }
    }

    /// <summary>Stops looking for good.</summary>
    public void Stop()
    {
        lock (_lock)
        {
            if (!_isStarted)
            {
                return;
            }
        }

        // It waits for a look that is under way.
        monitor.Dispose();
    }

    // A plan that is not enabled pins and binds nothing: there is nothing to follow.
    private void Start(TimeSpan interval)
    {
        // What a follower waits for delays the others.
        var logger = new OutboxLogger(loggers.CreateLogger(NumaHostingLog.Category), Outbox.Instance);
        monitor.Changed += (_, change) => NumaTopologyLog.Changed(logger, change, change.Plan);
        monitor.Follow(plan => NumaTopologyLog.Applied(logger, plan));
        monitor.Start(interval);
        _isStarted = true;
    }
}
