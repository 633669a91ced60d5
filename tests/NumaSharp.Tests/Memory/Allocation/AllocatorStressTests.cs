using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

[Trait("kind", "stress")]
public abstract unsafe class AllocatorStressTests(NumaMemoryCheckMode checks)
{
    private const int Threads = 4;
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();

    [Fact]
    public void Allocate_ManyThreadsPassBlocksOn_NoTwoOverlap()
    {
        var allocator = Create();
        var passed = new ConcurrentQueue<Marked>();

        TestThreads.Run(Threads, thread => AllocateAndPass(allocator, passed, thread, 60_000));
        FreeAll(allocator, passed);

        Assert.Equal(0, allocator.AllocatedBytes);
        allocator.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Trim_WhileThreadsAllocate_TakesNothingInUse()
    {
        using var allocator = Create();
        var passed = new ConcurrentQueue<Marked>();
        var done = 0;
        var trimmed = 0L;

        TestThreads.Run(Threads, thread =>
        {
            if (thread > 0)
            {
                try
                {
                    AllocateAndPass(allocator, passed, thread, 30_000);
                }
                finally
                {
                    Interlocked.Increment(ref done);
                }

                return;
            }

            while (Volatile.Read(ref done) < Threads - 1)
            {
                allocator.RefreshHomeNodes();
                trimmed += allocator.Trim();
            }
        });
        FreeAll(allocator, passed);

        // Nothing counts as given back twice, and in the end all of it is.
        var committed = allocator.CommittedBytes;
        Assert.InRange(committed, 1, (long)_memory.CommittedBytes - trimmed);
        Assert.Equal((committed, 0), (allocator.Trim(), allocator.CommittedBytes));
    }

    [Fact]
    public void Dispose_WhileThreadsAllocate_EverythingIsReleasedWithTheLastBlock()
    {
        for (var round = 0; round < 30; round++)
        {
            var allocator = Create();
            using var started = new CountdownEvent(Threads - 1);
            TestThreads.Run(Threads, thread =>
            {
                if (thread == 0)
                {
                    Wait.For(started);
                    allocator.Dispose();
                }
                else
                {
                    AllocateUntilDisposed(allocator, started);
                }
            });

            // What the threads kept of each size goes when they have ended.
            Assert.Equal(0, allocator.AllocatedBytes);
            allocator.Dispose();
            Assert.Equal(0, allocator.CommittedBytes);
            Assert.Equal(0, _memory.ReservationCount);
        }
    }

    private static void AllocateUntilDisposed(NumaAllocator allocator, CountdownEvent started)
    {
        var held = new Queue<nint>();
        try
        {
            for (var i = 0; ; i++)
            {
                var block = allocator.Allocate((nuint)(i % 50 == 0 ? 400_000 : i % 3000));
                *(byte*)block = 1;
                held.Enqueue((nint)block);
                if (i == 100)
                {
                    started.Signal();
                }

                if (held.Count > 50)
                {
                    allocator.Free((void*)held.Dequeue());
                }
            }
        }
        catch (ObjectDisposedException)
        {
            foreach (var block in held)
            {
                *(byte*)block = 2;
                allocator.Free((void*)block);
            }
        }
    }

    private void AllocateAndPass(NumaAllocator allocator, ConcurrentQueue<Marked> passed, int thread, int count)
    {
        _threads.NodeId = new(thread % 2 * 2);
        var random = new Random(thread);
        var own = new List<Marked>();
        for (var i = 0; i < count; i++)
        {
            if (own.Count < 200 && random.Next(5) < 3)
            {
                own.Add(Allocate(allocator, random, (byte)random.Next(1, 256)));
                continue;
            }

            if (own.Count > 0 && random.Next(2) == 0)
            {
                passed.Enqueue(own[^1]);
                own.RemoveAt(own.Count - 1);
            }
            else if (passed.TryDequeue(out var other))
            {
                Free(allocator, other);
            }
        }

        FreeAll(allocator, own);
    }

    private static Marked Allocate(NumaAllocator allocator, Random random, byte mark)
    {
        // Every order of magnitude as often, now and then beyond the classes.
        var size = (int)Math.Pow(2, random.NextDouble() * (random.Next(100) == 0 ? 20 : 14));
        var block = random.Next(4) switch
        {
            0 => allocator.AllocateZeroed((nuint)size),
            1 => allocator.AllocateAligned((nuint)size, (nuint)1 << random.Next(13)),
            2 => allocator.Allocate((nuint)size, new(random.Next(3))),
            _ => allocator.Reallocate(allocator.Allocate((nuint)random.Next(100)), (nuint)size),
        };
        new Span<byte>(block, size).Fill(mark);
        return new Marked((nint)block, size, mark);
    }

    private static void FreeAll(NumaAllocator allocator, IEnumerable<Marked> blocks)
    {
        foreach (var block in blocks)
        {
            Free(allocator, block);
        }
    }

    private static void Free(NumaAllocator allocator, Marked block)
    {
        Assert.Equal(-1, new Span<byte>((void*)block.Address, block.Size).IndexOfAnyExcept(block.Mark));
        allocator.Free((void*)block.Address);
    }

    private NumaAllocator Create() => new(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
    {
        Memory = _memory,
        Affinity = _threads,
        AddressSpacePerNode = 4L << 30,
        Checks = checks,
        TraceEvery = 100,
    });

    private readonly record struct Marked(nint Address, int Size, byte Mark);

    public sealed class Unchecked() : AllocatorStressTests(NumaMemoryCheckMode.None);

    public sealed class Checked() : AllocatorStressTests(NumaMemoryCheckMode.Full);

    public sealed class Hardened() : AllocatorStressTests(NumaMemoryCheckMode.Hardened);
}
