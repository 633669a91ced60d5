using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// Work of a given length: a fixed number of steps rather than a look at the clock, which would count what a preempted
/// thread waits as work done.
/// </summary>
internal static class Busy
{
    private const int CalibrationSteps = 200_000;
    private const int Calibrations = 20;

    private static readonly Lazy<double> s_stepsPerMicrosecond = new(Calibrate);

    /// <summary>How many steps take so long on an undisturbed CPU.</summary>
    public static int StepsOf(double microseconds) => (int)(microseconds * s_stepsPerMicrosecond.Value);

    public static void Work(int steps)
    {
        // Each step needs the one before: nothing of it runs in parallel or is left out.
        var value = (ulong)steps | 1;
        for (var i = 0; i < steps; i++)
        {
            value *= 6364136223846793005;
        }

        if (value == 0)
        {
            throw new BenchmarkException("an odd number times odd numbers is odd");
        }
    }

    private static double Calibrate()
    {
        var fastest = Enumerable.Range(0, Calibrations).Min(static _ =>
        {
            var start = Stopwatch.GetTimestamp();
            Work(CalibrationSteps);
            return Stopwatch.GetElapsedTime(start).TotalMicroseconds;
        });
        return CalibrationSteps / fastest;
    }
}
