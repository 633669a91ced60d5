using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>A limit that is enough for what is in use, and not for all that threads would like to keep.</summary>
public sealed unsafe class AllocatorContentionTests
{
    private const int Chunk = 1024 * 1024;
    private const int Threads = 3;
    private const int Rounds = 3000;

    private readonly FaultyMemoryProvider _memory = new();

    [Theory]
    [Trait("kind", "stress")]
    [InlineData(1000, 300, 2)]
    [InlineData(1000, 600, 3)]
    public void Allocate_ThreadsAtTheLimit_NoneFailsWhileMemoryIsFree(int size, int held, int limit)
    {
        using var allocator = new NumaAllocator(TestMachines.WithIds(0).Plan(), new NumaAllocatorOptions
        {
            Memory = _memory,
            Affinity = new ThreadOnNode(),
            AddressSpacePerNode = 1L << 30,
            LimitPerNode = limit * Chunk,
        });
        var running = Threads;
        TestThreads.Run(Threads + 1, thread =>
        {
            while (thread == Threads && Volatile.Read(ref running) > 0)
            {
                allocator.Trim();
            }

            if (thread == Threads)
            {
                return;
            }

            using var end = new Ending(() => Interlocked.Decrement(ref running));
            var blocks = new nint[held];
            for (var round = 0; round < Rounds; round++)
            {
                foreach (ref var block in blocks.AsSpan())
                {
                    block = (nint)allocator.Allocate((nuint)size);
                    TaggedBlock.Take((void*)block, TaggedBlock.LeastSize);
                }

                foreach (var block in blocks)
                {
                    TaggedBlock.Leave((void*)block);
                    allocator.Free((void*)block);
                }
            }
        });

        Assert.Equal(0, allocator.AllocatedBytes);
        Assert.InRange(allocator.CommittedBytes, 0, limit * Chunk);
    }

    private sealed class Ending(Action action) : IDisposable
    {
        public void Dispose() => action();
    }
}
