using NumaSharp.Core;

namespace NumaSharp.GuestTests.Support;

/// <summary>Where the pages of a range are, by move_pages(2).</summary>
internal static class Pages
{
    public const int Size = 4096;

    private static readonly INumaMemoryProvider s_provider = NumaPlatform.Default.Memory;

    /// <summary>How many pages of a range are on each node; an untouched page is an error.</summary>
    public static SortedDictionary<int, int> CountByNode(nint address, long length)
    {
        var count = new SortedDictionary<int, int>();
        foreach (var node in NodesOf(address, length))
        {
            count[node] = count.GetValueOrDefault(node) + 1;
        }

        return count;
    }

    /// <summary>The node of each page of a range; an untouched page is an error.</summary>
    public static IEnumerable<int> NodesOf(nint address, long length)
    {
        for (var page = address & ~(Size - 1); page < address + length; page += Size)
        {
            yield return NodeOf(page);
        }
    }

    /// <summary>The node of each page of a block.</summary>
    public static unsafe int[] NodesOf(NumaMemoryBlock block) => [.. NodesOf((nint)block.Pointer, block.Length)];

    /// <summary>Writes to every page of a range.</summary>
    public static unsafe void Touch(nint address, long length)
    {
        for (long offset = 0; offset < length; offset += Size)
        {
            *(byte*)(address + offset) = 1;
        }

        *(byte*)(address + length - 1) = 1;
    }

    /// <summary>Asserts that all pages of a block are on one node.</summary>
    public static unsafe void AssertOn(int node, NumaMemoryBlock block) => AssertOn(node, (nint)block.Pointer, block.Length);

    /// <summary>Asserts that all pages of a range are on one node.</summary>
    public static void AssertOn(int node, nint address, long length) =>
        Assert.Equal(node, Assert.Single(CountByNode(address, length)).Key);

    public static int NodeOf(nint address)
    {
        s_provider.QueryNode(address, out var node).ThrowIfFailed("move_pages");
        Assert.NotNull(node);
        return node.Value.Value;
    }
}
