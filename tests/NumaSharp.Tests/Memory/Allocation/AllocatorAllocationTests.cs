using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Managed memory that threads need in the steady state, counted on every one of them: none.</summary>
[Trait("kind", "allocation")]
public sealed unsafe class AllocatorAllocationTests : IDisposable
{
    private const int Rounds = 200;

    private readonly ThreadOnNode _threads = new();
    private readonly ManualTime _time = new();
    private readonly NumaAllocator _allocator;
    private long _turn;
    private bool _hasLeft;

    public AllocatorAllocationTests() => _allocator = new NumaAllocator(
        TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
        {
            Affinity = _threads,
            AddressSpacePerNode = 4L << 30,
            TrimAfter = TimeSpan.FromSeconds(1),
            KeepPerNode = 1L << 30,
            Time = _time,
        });

    public void Dispose() => _allocator.Dispose();

    [Theory]
    [InlineData(64, 3000)]
    [InlineData(1000, 3000)]
    [InlineData(4096, 1000)]
    [InlineData(65_536, 100)]
    [InlineData(262_144, 40)]
    [InlineData(500_000, 20)]
    public void AllocateHereFreeThere_SteadyState_TakesNoManagedMemory(int size, int count)
    {
        var blocks = new nint[count];
        Assert.Equal(0, LeastOfTwoThreads((thread, _) =>
        {
            if (thread == 0)
            {
                Allocate(blocks, size);
            }
            else
            {
                Free(blocks);
            }
        }));
    }

    [Theory]
    [InlineData(64, 3000)]
    [InlineData(4096, 1000)]
    [InlineData(262_144, 40)]
    public void AllocateAndFreeInTurns_SteadyState_TakesNoManagedMemory(int size, int count)
    {
        var blocks = new nint[count];
        Assert.Equal(0, LeastOfTwoThreads((thread, round) =>
        {
            if ((thread + round) % 2 == 0)
            {
                Free(blocks);
                Allocate(blocks, size);
            }
        }));
        Free(blocks);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(4096)]
    [InlineData(262_144)]
    public void PassOn_BothWaysAtTheSameTime_TakesNoManagedMemory(int size)
    {
        const int Operations = 200_000;
        var slots = new nint[300];
        var random = new uint[] { 1, 2 };
        Assert.Equal(0, LeastOfTwoThreads(
            (thread, _) =>
            {
                ref var state = ref random[thread];
                for (var i = 0; i < Operations / Rounds; i++)
                {
                    state = (state * 1_664_525) + 1_013_904_223;
                    var block = (nint)_allocator.Allocate((nuint)size);
                    _allocator.Free((void*)Interlocked.Exchange(ref slots[(state >> 8) % slots.Length], block));
                }
            },
            inTurn: false));
        Free(slots);
    }

    [Fact]
    public void OnTick_SteadyState_TakesNoManagedMemory()
    {
        var blocks = new nint[3000];
        Assert.Equal(0, LeastOfTwoThreads((thread, round) =>
        {
            if (thread == 0)
            {
                Allocate(blocks, 1000);
                Free(blocks);
            }
            else
            {
                ((NumaSharp.Core.Memory.ITimed)_allocator).OnTick();
            }
        }));
    }

    // Two threads in turn, so that blocks go to and fro; the least of several attempts, as a collection that other tests cause
    // counts as an allocation. The first attempt warms up.
    private long LeastOfTwoThreads(Action<int, int> work, bool inTurn = true)
    {
        var (attempts, allocated) = (new AllocationAttempts(patience: Wait.Limit / 2), new long[2]);
        var isOver = false;

        // Both threads go by what is decided between two attempts.
        using var ends = new Barrier(2, barrier =>
        {
            if (barrier.CurrentPhaseNumber > 0)
            {
                attempts.Add(allocated.Sum());
                isOver = attempts.AreOver;
            }
        });
        TestThreads.Run(2, thread =>
        {
            try
            {
                while (!isOver && !Volatile.Read(ref _hasLeft))
                {
                    var before = GC.GetAllocatedBytesForCurrentThread();
                    RunRounds(work, thread, inTurn);
                    allocated[thread] = GC.GetAllocatedBytesForCurrentThread() - before;
                    ends.SignalAndWait();
                }
            }
            finally
            {
                // Of two threads one may have failed: the other one waits for it no longer.
                Volatile.Write(ref _hasLeft, true);
                ends.RemoveParticipant();
            }
        });
        return attempts.Least;
    }

    private void RunRounds(Action<int, int> work, int thread, bool inTurn)
    {
        for (var round = 0; round < Rounds; round++)
        {
            if (inTurn && !TryWaitForTurn(thread))
            {
                return;
            }

            work(thread, round);
            Interlocked.Increment(ref _turn);
        }
    }

    private bool TryWaitForTurn(int thread)
    {
        var wait = default(SpinWait);
        while (Volatile.Read(ref _turn) % 2 != thread)
        {
            if (Volatile.Read(ref _hasLeft))
            {
                return false;
            }

            wait.SpinOnce(sleep1Threshold: -1);
        }

        return true;
    }

    private void Allocate(nint[] blocks, int size)
    {
        foreach (ref var block in blocks.AsSpan())
        {
            block = (nint)_allocator.Allocate((nuint)size);
            *(long*)block = size;
        }
    }

    private void Free(nint[] blocks)
    {
        foreach (ref var block in blocks.AsSpan())
        {
            _allocator.Free((void*)block);
            block = 0;
        }
    }
}
