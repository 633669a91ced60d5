using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Playground.LoadGenerator;

/// <summary>Sends one after another to every target, at a fixed rate; failures are counted, and logged once.</summary>
internal abstract class PacedLoad(string protocol, int rate, LoadMetrics metrics, ILogger logger, TimeProvider time)
    : BackgroundService
{
    protected static TimeSpan Patience { get; } = TimeSpan.FromSeconds(5);

    protected abstract IEnumerable<string> Targets { get; }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        Task.WhenAll(Targets.Select(target => RunAsync(target, stoppingToken)));

    /// <summary>Sends, and waits for the answer, which must be the right one.</summary>
    protected abstract Task SendAsync(string target, CancellationToken cancellationToken);

    private async Task RunAsync(string target, CancellationToken stop)
    {
        LoadLog.Starts(logger, rate, target);
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(1) / rate, time);
        var answers = false;
        try
        {
            do
            {
                answers = await TrySendAsync(target, answers, stop);
            }
            while (await pace.WaitForNextTickAsync(stop));
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The application ends.
        }
    }

    private async Task<bool> TrySendAsync(string target, bool answered, CancellationToken stop)
    {
        var start = time.GetTimestamp();
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(Patience);
        try
        {
            await SendAsync(target, limit.Token);
            metrics.Answered(protocol, time.GetElapsedTime(start));
            if (!answered)
            {
                LoadLog.Answers(logger, target);
            }

            return true;
        }
        catch (Exception exception) when (!stop.IsCancellationRequested)
        {
            // Any failure: the service is being restarted, or wrong.
            metrics.Failed(protocol);
            if (answered)
            {
                LoadLog.DoesNotAnswer(logger, exception, target);
            }

            return false;
        }
    }
}
