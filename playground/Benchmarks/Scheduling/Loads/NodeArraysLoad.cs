using System.Buffers;
using System.Numerics;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// An array in the memory of each node, and tasks that each sum up one of them, 32 at a time; an operation is a task. The
/// scheduling micro-benchmark of NumaSharp 1.0.1.
/// </summary>
internal sealed class NodeArraysLoad : ILoad
{
    private const int Wave = 32;
    private const int ArrayBytes = 64 * 1024;

    private readonly Func<int, Action, Task> _start;
    private readonly Gate _gate = new();
    private readonly NumaMemoryPool[] _pools;
    private readonly IMemoryOwner<byte>[] _arrays;
    private readonly Action[] _work;
    private long _sum;

    /// <param name="start">Starts work for the node with this position.</param>
    public NodeArraysLoad(Func<int, Action, Task> start)
    {
        _start = start;
        var nodes = NumaPlan.Create(NumaTopology.Instance).Nodes;
        _pools = [.. nodes.Select(static node => new NumaMemoryPool(node.NodeId.Value, ArrayBytes))];
        _arrays = [.. _pools.Select(static pool => pool.Rent(ArrayBytes))];
        foreach (var array in _arrays)
        {
            array.Memory.Span.Fill(1);
        }

        _work = [.. _arrays.Select(array => (Action)(() => AddUp(array)))];
    }

    public Slice Run(int operations)
    {
        var waves = Math.Max(1, operations / Wave);
        var clock = SliceClock.Start();
        for (var wave = 0; wave < waves; wave++)
        {
            _gate.Close(Wave);
            for (var task = 0; task < Wave; task++)
            {
                var node = task % _work.Length;
                _ = _start(node, _work[node]);
            }

            _gate.Wait();
        }

        return clock.Stop(waves * Wave);
    }

    public void Dispose()
    {
        foreach (var (array, pool) in _arrays.Zip(_pools))
        {
            array.Dispose();
            pool.Dispose();
        }
    }

    private void AddUp(IMemoryOwner<byte> array)
    {
        var sum = Vector<ulong>.Zero;
        foreach (var part in MemoryMarshal.Cast<byte, Vector<ulong>>(array.Memory.Span))
        {
            sum += part;
        }

        Volatile.Write(ref _sum, (long)Vector.Sum(sum));
        if (_gate.Arrive())
        {
            _gate.Open();
        }
    }
}
