using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>A buffer with its pages on one node, linked for <see cref="PointerChase"/>. Used by one thread at a time.</summary>
internal sealed class NodeBuffer : IDisposable
{
    private readonly INumaMemoryProvider _memory;
    private readonly nuint _size;

    private NodeBuffer(INumaMemoryProvider memory, nint address, nuint size, int lines, MatrixColumn column)
    {
        _memory = memory;
        _size = size;
        Address = address;
        Lines = lines;
        Column = column;
    }

    public nint Address { get; }

    public long Size => (long)_size;

    /// <summary>The number of lines in the cycle that starts at <see cref="Address"/>.</summary>
    public int Lines { get; }

    public MatrixColumn Column { get; }

    /// <summary>Creates a buffer.</summary>
    /// <returns>The buffer; or none, and a column with the reason.</returns>
    public static async Task<(NodeBuffer? Buffer, MatrixColumn Column)> CreateAsync(
        NumaPlatform platform, NumaTopology topology, NumaNode node, long size)
    {
        if (NodeBufferChecks.FindLack(platform, node, size) is { } lack)
        {
            return (null, Refused(node, lack));
        }

        var memory = platform.Memory;
        var reserved = memory.Reserve((nuint)size, NodeBufferChecks.HugePageBytes, out var address);
        if (!reserved.Succeeded)
        {
            return (null, Refused(node, $"no address space for the buffer: {reserved}"));
        }

        NodeBuffer? buffer = null;
        MatrixColumn column;
        try
        {
            (buffer, column) = await FillAsync(platform, topology, node, address, (nuint)size);
        }
        finally
        {
            if (buffer is null)
            {
                memory.Release(address, (nuint)size);
            }
        }

        return (buffer, column);
    }

    public void Dispose() => _memory.Release(Address, _size);

    private static async Task<(NodeBuffer? Buffer, MatrixColumn Column)> FillAsync(
        NumaPlatform platform, NumaTopology topology, NumaNode node, nint address, nuint size)
    {
        var memory = platform.Memory;
        var committed = memory.Commit(address, size);
        if (!committed.Succeeded)
        {
            return (null, Refused(node, $"no memory for the buffer: {committed}"));
        }

        // Advice only: without huge pages, the column reports that there are none.
        _ = memory.Advise(address, size, NumaMemoryAdvice.HugePages);
        var (placement, refusal) = NodeBufferChecks.Place(memory, node, address, size);
        if (refusal is not null && node.Cpus.IsEmpty)
        {
            return (null, Refused(node, $"{refusal}, and no CPU of the node can touch its memory first"));
        }

        var toucher = node.Cpus.IsEmpty ? topology.AllowedCpus : node.Cpus;
        var lines = await PinnedWork.RunAsync(platform.Affinity, toucher, _ => PointerChase.Link(address, size));
        var (isChecked, there) = NodeBufferChecks.CountPages(memory, node.Id, address, size);
        var column = new MatrixColumn(
            node.Id, placement, isChecked, there, HugePageShare.BytesIn(address, (long)size), Reason: null);
        var doubt = NodeBufferChecks.FindDoubt(column, refusal, isOnlyNode: topology.MemoryNodes.Count == 1);
        return doubt is null
            ? (new NodeBuffer(memory, address, size, lines, column), column)
            : (null, column with { Reason = doubt });
    }

    private static MatrixColumn Refused(NumaNode node, string reason) => new(node.Id, "none", 0, 0, null, reason);
}
