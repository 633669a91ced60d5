using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>Threads that run work: ours and the peers.</summary>
internal interface IEngine : IDisposable
{
    TaskScheduler Tasks { get; }

    /// <summary>A load of work items on this engine.</summary>
    ILoad Open(ILoadShape shape);
}
