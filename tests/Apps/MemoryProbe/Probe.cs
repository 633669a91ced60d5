using NumaSharp.Core;

namespace NumaSharp.MemoryProbe;

internal static unsafe class Probe
{
    private const int Megabyte = 1 << 20;
    private const int ManyNodes = 64;

    /// <summary>Blocks of all kinds until there are no more; there must be address space for what else a process does.</summary>
    public static string UseAll()
    {
        using var allocator = Create(nodes: 1);
        var blocks = new List<nint>();
        string message;
        try
        {
            while (true)
            {
                foreach (var size in new[] { 64, 4096, 200_000, 3 * Megabyte })
                {
                    blocks.Add((nint)allocator.Allocate((nuint)size));
                    *(byte*)blocks[^1] = 1;
                }
            }
        }
        catch (OutOfMemoryException exception)
        {
            message = $"{allocator.CommittedBytes / Megabyte} MiB, then: {exception.Message}";
        }

        blocks.ForEach(block => allocator.Free((void*)block));
        allocator.Trim();
        var thread = new Thread(() => allocator.Free(allocator.Allocate(64)));
        thread.Start();
        thread.Join();
        return allocator.AllocatedBytes == 0
            ? message
            : throw new InvalidOperationException($"{allocator.AllocatedBytes} bytes are lost.");
    }

    /// <summary>An allocator for which there is no address space.</summary>
    public static string Refuse()
    {
        try
        {
            using var allocator = Create(ManyNodes);
            throw new InvalidOperationException("It was made.");
        }
        catch (OutOfMemoryException exception)
        {
            return exception.Message;
        }
    }

    /// <summary>Terabytes of address space and gigabytes of blocks, of which so many are touched.</summary>
    public static string Charge(int megabytes)
    {
        using var allocator = Create(ManyNodes);
        var blocks = new List<nint>();
        for (var i = 0; i < 4096; i++)
        {
            blocks.Add((nint)allocator.Allocate(Megabyte, nodeId: new(i % ManyNodes)));
        }

        foreach (var block in blocks.Take(megabytes))
        {
            new Span<byte>((void*)block, Megabyte).Fill(1);
        }

        return $"{allocator.CommittedBytes / Megabyte} MiB in use, {megabytes} touched";
    }

    private static NumaAllocator Create(int nodes) => new(
        NumaPlan.Create(new NumaTopology("Probe", [.. Enumerable.Range(0, nodes).Select(Node)])),
        new NumaAllocatorOptions { Memory = new UnboundMemory() });

    private static NumaNode Node(int id) => new()
    {
        Id = new(id),
        Cpus = CpuSet.FromIds(id),
        OnlineCpus = CpuSet.FromIds(id),
        MemoryBytes = 1L << 30,
        IsMemoryAllowed = true,
    };
}
