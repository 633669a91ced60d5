namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The values of Numa:Transport:Dispatch that have requirements.</summary>
internal enum DispatchMode
{
    Adaptive,
    Inline,
    Node,
}
