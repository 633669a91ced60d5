using System.Diagnostics;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// Waits until the kernel's load average has forgotten what was measured here. The next kind would otherwise note that the
/// machine was not quiet.
/// </summary>
/// <param name="loadAverage">As /proc/loadavg has it.</param>
/// <param name="look">How often it is read.</param>
/// <param name="limit">If other programs keep the machine busy; the next kind notes that.</param>
internal sealed class QuietMachine(Func<string> loadAverage, TimeSpan look, TimeSpan limit)
{
    // The average of a minute falls by two thirds in one: from 64 busy CPUs, this is enough.
    public static QuietMachine This { get; } = new(
        static () => File.ReadAllText("/proc/loadavg"), TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(5));

    public async Task WaitAsync(CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        while (MachineDescription.Unrest(loadAverage()) is not null && Stopwatch.GetElapsedTime(start) < limit)
        {
            await Task.Delay(look, cancellation);
        }
    }
}
