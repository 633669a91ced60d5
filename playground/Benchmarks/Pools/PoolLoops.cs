using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools.Peers;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The loops, compiled for one pool.</summary>
internal sealed class PoolLoops<TBlocks> : IPoolSide
    where TBlocks : struct, IPooledBlocks<TBlocks>, allows ref struct
{
    private const int VerifiedBlocks = 200;

    private readonly RentedBlock[] _rented = new RentedBlock[PoolRows.ShuffledBlocks];

    public string Name => TBlocks.Name;

    public void Verify()
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < VerifiedBlocks; i++)
        {
            _rented[i] = new RentedBlock(blocks.Rent());
            _rented[i].Owner.Memory.Span[..IPoolSide.BlockBytes].Fill((byte)i);
        }

        for (var i = 0; i < VerifiedBlocks; i++)
        {
            var owner = _rented[i].Owner;
            if (owner.Memory.Span[..IPoolSide.BlockBytes].ContainsAnyExcept((byte)i))
            {
                throw new BenchmarkException($"{Name}: a block does not keep what was written to it");
            }

            blocks.Return(owner);
        }
    }

    public void Single(int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            blocks.Return(blocks.Rent());
        }
    }

    public void Nested(int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            var first = blocks.Rent();
            var second = blocks.Rent();
            var third = blocks.Rent();
            blocks.Return(third);
            blocks.Return(second);
            blocks.Return(first);
        }
    }

    public void Shuffled(int[] order, int count)
    {
        var blocks = TBlocks.Open();
        var rented = _rented.AsSpan(0, order.Length);
        for (var done = 0; done < count; done += order.Length)
        {
            foreach (ref var block in rented)
            {
                block = new RentedBlock(blocks.Rent());
            }

            foreach (var i in order)
            {
                rented[i].Owner.Memory.Span[0]++;
            }

            foreach (var i in order)
            {
                blocks.Return(rented[i].Owner);
            }
        }
    }

    public void Produce(SpscRing<RentedBlock> ring, int count)
    {
        var blocks = TBlocks.Open();
        for (var done = 0; done < count; done += SpscRing<RentedBlock>.Batch)
        {
            foreach (ref var slot in ring.BeginWrite())
            {
                slot = new RentedBlock(blocks.Rent());
            }

            ring.EndWrite();
        }
    }

    public void Consume(SpscRing<RentedBlock> ring, int count)
    {
        var blocks = TBlocks.Open();
        for (var done = 0; done < count; done += SpscRing<RentedBlock>.Batch)
        {
            foreach (var block in ring.BeginRead())
            {
                blocks.Return(block.Owner);
            }

            ring.EndRead();
        }
    }
}
