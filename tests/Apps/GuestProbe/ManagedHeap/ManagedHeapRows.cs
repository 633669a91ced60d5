namespace NumaSharp.GuestProbe.ManagedHeap;

/// <summary>The rows' names, which docs/guide/benchmarks.md explains. The tests of the docs compare them.</summary>
internal static class ManagedHeapRows
{
    public const string Workstation = "managed heap, workstation";
    public const string Dynamic = "managed heap, DATAS";
    public const string HeapPerNode = "managed heap, heap per node";
    public const string HeapPerCpu = "managed heap, heap per CPU";
    public const string Limit = "managed heap, limit";
    public const string ProcessPerNode = "managed heap, process per node";

    /// <summary>In the order in which they are measured.</summary>
    public static string[] All => [Workstation, Dynamic, HeapPerNode, HeapPerCpu, Limit, ProcessPerNode];
}
