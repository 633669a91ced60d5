using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Logging;

namespace NumaSharp.Hosting.Starting;

/// <summary>Adapts threads and memory to a changing machine, at the interval in the settings.</summary>
internal sealed class MachineFollower(NumaPlanMonitor monitor, ILoggerFactory loggers)
{
    private readonly Lock _lock = new();
    private bool _isStarted;

    /// <summary>Sets the interval of checks from now on; 0: none.</summary>
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

    /// <summary>Stops checking permanently.</summary>
    public void Stop()
    {
        lock (_lock)
        {
            if (!_isStarted)
            {
                return;
            }
        }

        // Waits for a check in progress.
        monitor.Dispose();
    }

    // A disabled plan pins and binds nothing: there is nothing to adapt.
    private void Start(TimeSpan interval)
    {
        // A blocking logger would delay the other followers.
        var logger = new OutboxLogger(loggers.CreateLogger(NumaHostingLog.Category), Outbox.Instance);
        monitor.Changed += (_, change) => NumaTopologyLog.Changed(logger, change, change.Plan);
        monitor.Follow(plan => NumaTopologyLog.Applied(logger, plan));
        monitor.Start(interval);
        _isStarted = true;
    }
}
