using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>Our scheduler.</summary>
internal sealed class NumaEngine : IEngine
{
    /// <param name="configure">What differs from the defaults.</param>
    public NumaEngine(Action<NumaTaskSchedulerOptions>? configure = null)
    {
        var options = new NumaTaskSchedulerOptions();
        configure?.Invoke(options);
        Scheduler = new NumaTaskScheduler(options);
    }

    public NumaTaskScheduler Scheduler { get; }

    /// <summary>Reads how long items wait; null if nothing does.</summary>
    public WaitListener? Listener { get; private init; }

    public TaskScheduler Tasks => Scheduler;

    /// <summary>Workers on one node only.</summary>
    /// <param name="workers">How many; 0 for one per CPU of the node.</param>
    /// <param name="spin">What they do without work.</param>
    public static NumaEngine OnOneNode(int workers = 0, NumaSpinMode spin = NumaSpinMode.Adaptive) => new(options =>
    {
        options.Spin = spin;
        var topology = NumaTopology.Instance;
        var first = NumaPlan.Create(topology).Nodes.First(static node => node.Threads > 0);
        options.Plan = NumaPlan.Create(
            topology, new NumaPlanRequest { Nodes = CpuSet.FromIds(first.NodeId.Value), ThreadsPerNode = workers });
    });

    /// <summary>With a listener that reads how long items wait.</summary>
    public static NumaEngine Measured()
    {
        var engine = new NumaEngine { Listener = new WaitListener() };
        engine.Scheduler.MeasureWaits(engine.Listener.Waits);
        return engine;
    }

    public ILoad Open(ILoadShape shape) => shape.Create(new NumaQueue(Scheduler));

    public void Dispose()
    {
        Scheduler.Dispose();
        Listener?.Dispose();
    }
}
