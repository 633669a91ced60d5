namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The values of Numa:Transport:Dispatch.</summary>
internal enum DispatchMode
{
    Adaptive,
    Inline,
    Node,
    ThreadPool,
}
