using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>The targets of the scheduler, ours / the thread pool's.</summary>
internal static class SchedulerTargets
{
    /// <summary>In milliseconds, until a short item runs although all workers are blocked.</summary>
    public const double BlockedLimit = 20;

    public const double BlockedGoal = 0.5;

    /// <summary>In microseconds of CPU time per second.</summary>
    public const double IdleLimit = 100;

    public const double IdleGoal = 0.2;

    public static RowTarget Outside { get; } = new(1.1, 0.8);

    public static RowTarget Inside { get; } = new(0.5, 0.3);

    public static RowTarget Task { get; } = new(1.2, 1.0);

    public static RowTarget BurstOfOneTime { get; } = new(0.6, 0.4);

    public static RowTarget BurstOfOneCpu { get; } = new(0.5, 0.35);

    public static RowTarget WorkingBurst { get; } = new(1.0, 0.9);

    public static RowTarget ManyConnections { get; } = new(1.0, 0.8);

    public static RowTarget FewConnectionsCpu { get; } = new(0.9, 0.7);

    public static RowTarget LowCpu { get; } = new(0.5, 0.3);

    public static RowTarget DefaultCpu { get; } = new(0.8, 0.6);

    public static RowTarget LowLatency { get; } = new(1.0, 0.7);

    public static RowTarget FibonacciTasks { get; } = new(1.1, 0.9);

    public static RowTarget FibonacciItems { get; } = new(0.8, 0.5);

    public static RowTarget Await { get; } = new(1.0, 0.8);

    public static RowTarget NestedAwait { get; } = new(1.3, 1.1);
}
