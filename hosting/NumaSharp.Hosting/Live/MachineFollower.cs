using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting.Telemetry;

namespace NumaSharp.Hosting.Live;

/// <summary>Adapts threads and memory to a changing machine, at the interval in the settings.</summary>
internal sealed class MachineFollower(NumaPlanMonitor monitor, ILoggerFactory loggers)
{
    // A blocking logger would delay the other followers.
    private readonly OutboxLogger _logger = new(loggers.CreateLogger(NumaHostingLog.Category), Outbox.Instance);

    // Under no lock: the monitor calls the topology provider, which may be a plugin's, and the application's clock.
    private readonly LastRequest _intervals = new();
    private bool _isLogging;
    private volatile bool _isStarted;

    /// <summary>
    /// Sets the interval of checks from now on; 0: none. If a call is in progress, its thread carries this one out, too.
    /// </summary>
    public void SetInterval(TimeSpan interval) => _intervals.Run(() => Set(interval));

    /// <summary>Stops checking permanently.</summary>
    public void Stop()
    {
        if (_isStarted)
        {
            // Waits for a check in progress.
            monitor.Dispose();
        }
    }

    // A disabled plan pins and binds nothing: there is nothing to adapt.
    private void Set(TimeSpan interval)
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

    private void Start(TimeSpan interval)
    {
        if (!_isLogging)
        {
            _isLogging = true;
            monitor.Changed += (_, change) => NumaHostingLog.MachineChanged(_logger, change, change.Plan);
            monitor.Follow(plan => NumaHostingLog.PlanApplied(_logger, plan));
        }

        // First: a stop that comes while the provider is called has to end the monitor.
        _isStarted = true;
        try
        {
            monitor.Start(interval);
        }
        catch
        {
            _isStarted = false;
            throw;
        }
    }
}
