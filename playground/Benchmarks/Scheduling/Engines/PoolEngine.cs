using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>The thread pool of .NET.</summary>
internal sealed class PoolEngine : IEngine
{
    public static string Name { get; } = $"ThreadPool {Environment.Version}";

    public TaskScheduler Tasks => TaskScheduler.Default;

    public ILoad Open(ILoadShape shape) => shape.Create(default(PoolQueue));

    public void Dispose()
    {
    }
}
