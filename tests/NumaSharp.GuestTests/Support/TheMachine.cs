using NumaSharp.Core;

namespace NumaSharp.GuestTests.Support;

/// <summary>The guest with three nodes, as the script <c>run</c> has QEMU make it.</summary>
internal static class TheMachine
{
    /// <summary>A node that the machine does not have, and the kernel could.</summary>
    public const int MissingNode = 5;

    private const long MiB = 1 << 20;

    /// <summary>The nodes with CPUs.</summary>
    public static readonly int[] CpuNodes = [0, 1];

    /// <summary>Every node has memory.</summary>
    public static readonly int[] Nodes = [0, 1, 2];

    public static readonly CpuSet AllCpus = CpuSet.Range(0, 4);

    public static readonly int[][] Distances = [[10, 21, 24], [21, 10, 24], [24, 24, 10]];

    public static CpuSet CpusOf(int node) => node switch
    {
        0 => CpuSet.Range(0, 2),
        1 => CpuSet.Range(2, 2),
        _ => CpuSet.Empty,
    };

    /// <summary>Where a thread must run that is to be far from a node.</summary>
    public static CpuSet CpusFarFrom(int node) => CpusOf(node == 1 ? 0 : 1);

    /// <summary>The node that serves a node's work: itself; the one without CPUs is as far from both, so the lower id.</summary>
    public static int ServerOf(int node) => CpusOf(node).IsEmpty ? 0 : node;

    public static int NodeOfCpu(int cpu) => cpu / 2;

    /// <summary>What the command line gives a node; the kernel keeps a little of it.</summary>
    public static long MemoryOf(int node) => (node == 2 ? 256 : 1024) * MiB;
}
