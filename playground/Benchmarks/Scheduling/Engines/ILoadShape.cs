using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>A load of work items before it is known who runs it.</summary>
internal interface ILoadShape
{
    ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue;
}
