using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>A load of work items, not yet bound to an engine.</summary>
internal interface ILoadShape
{
    ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue;
}
