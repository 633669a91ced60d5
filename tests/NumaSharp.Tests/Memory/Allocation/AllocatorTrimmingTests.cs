using NumaSharp.Core;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>What goes back to the system by itself, and what stays.</summary>
public sealed unsafe class AllocatorTrimmingTests : IDisposable
{
    private const int Chunk = 1024 * 1024;
    private const int Largest = 256 * 1024;
    private const int LargestInMagazine = 8;

    private readonly FaultyMemoryProvider _memory = new();
    private readonly FaultyMemoryProvider _own = new();
    private readonly ThreadOnNode _threads = new();
    private readonly ManualTime _time = new();
    private NumaAllocator _allocator;

    public AllocatorTrimmingTests() => _allocator = Create(keep: 0);

    public void Dispose()
    {
        _allocator.Dispose();
        Assert.Equal((0, 0), (_time.TimerCount, _memory.ReservationCount));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void OnTick_Unneeded_LeavesTheFloor(int keep)
    {
        _allocator.Dispose();
        _allocator = Create(keep * Chunk);
        TestThreads.Run(1, _ => AllocateAndFree(30, Largest));
        Assert.Equal(10 * Chunk, _allocator.CommittedBytes);
        _time.TickEach(2);

        Assert.Equal(keep * Chunk, _allocator.CommittedBytes);
        var commits = _memory.CommitCount;
        AllocateAndFree(3 * keep, Largest);
        Assert.Equal(commits, _memory.CommitCount);
    }

    [Fact]
    public void Trim_WhileAChunkIsGivenBack_OthersAllocateOnTheNode()
    {
        AllocateAndFree(30, Largest);
        var others = 0;
        _memory.OnAdvising = (_, _, _) =>
        {
            // All free chunks are about to be given back: the first size needs another one, and the others a run of it.
            Wait.For(TestThreads.Start(() => AllocateAndFree(1, 64 * ++others)));
        };
        var trimmed = _allocator.Trim();
        _memory.OnAdvising = static (_, _, _) => { };
        Assert.Equal((10 * Chunk, 10), (trimmed, others));
    }

    [Fact]
    public void Trim_ProviderThrowsInTheMiddle_OtherChunksAreUsedAgain()
    {
        AllocateAndFree(30, Largest);
        var asked = 0;
        _memory.OnAdvising = (_, _, _) =>
        {
            if (++asked == 3)
            {
                throw new InvalidOperationException("No.");
            }
        };
        Assert.Throws<InvalidOperationException>(() => _allocator.Trim());
        _memory.OnAdvising = static (_, _, _) => { };

        // Two of them are given back.
        var commits = _memory.CommitCount;
        AllocateAndFree(30, Largest);
        Assert.Equal(commits + 2, _memory.CommitCount);
        Assert.Equal(10 * Chunk, _allocator.CommittedBytes);
    }

    [Fact]
    public void Dispose_InterruptedDuringATrim_WaitsForIt()
    {
        using var gate = new Gate();
        using var advising = new ManualResetEventSlim();
        TestThreads.Run(() => AllocateAndFree(30, Largest));
        _memory.OnAdvising = (_, _, _) =>
        {
            advising.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => _allocator.Trim());
        Wait.For(advising);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(_allocator.Dispose);
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal((0L, 0), (_allocator.CommittedBytes, _memory.ReservationCount));
    }

    [Fact]
    public void OnTick_LargeBlocksThatWait_StayForOneInterval()
    {
        _allocator.Free(_allocator.Allocate(3 * Chunk));
        _time.Tick();
        Assert.Equal(3 * Chunk, _allocator.CommittedBytes);
        _time.Tick();
        Assert.Equal(0, _allocator.CommittedBytes);
    }

    [Fact]
    public void OnTick_WorkContinues_WorkingSetStays()
    {
        AllocateAndFree(5000, 1000);
        _time.TickEach(2);
        AllocateAndFree(5000, 1000);
        var commits = _memory.CommitCount;
        for (var i = 0; i < 20; i++)
        {
            AllocateAndFree(5000, 1000);
            _time.Tick();
        }

        Assert.Equal(commits, _memory.CommitCount);
    }

    [Fact]
    public void OnTick_ThreadWaits_ItsSpareMagazineIsGivenBack()
    {
        using var freed = new ManualResetEventSlim();
        using var trimmed = new ManualResetEventSlim();
        TestThreads.Run(2, thread =>
        {
            if (thread == 0)
            {
                // A loaded magazine and a spare one.
                AllocateAndFree(2 * LargestInMagazine, Largest);
                freed.Set();
                Wait.For(trimmed.WaitHandle);
                return;
            }

            Wait.For(freed.WaitHandle);
            var committed = _allocator.CommittedBytes;
            _time.TickEach(5);
            Assert.InRange(_allocator.CommittedBytes, Chunk, (committed / 2) + Chunk);
            trimmed.Set();
        });
        _time.TickEach(2);
        Assert.Equal(0, _allocator.CommittedBytes);
    }

    // Each interval sends the thread to the slow path once, where no magazine comes or goes.
    [Fact]
    public void OnTick_ThreadNeedsNothingButItsLoadedMagazine_ItsSpareOneIsGivenBack()
    {
        TestThreads.Run(() =>
        {
            AllocateAndFree(2 * LargestInMagazine, Largest);
            var committed = _allocator.CommittedBytes;
            for (var i = 0; i < 5; i++)
            {
                AllocateAndFree(1, Largest);
                _time.Tick();
            }

            Assert.InRange(_allocator.CommittedBytes, Chunk, (committed / 2) + Chunk);
        });
    }

    [Fact]
    public void OnTick_RepeatedWithHalfInUse_GivesBackAtEveryInterval()
    {
        // A release empties the depot for a moment; that must not count as a need.
        var kept = new List<nint>();
        for (var round = 0; round < 5; round++)
        {
            TestThreads.Run(1, _ =>
            {
                kept.Add((nint)_allocator.Allocate(Largest));
                AllocateAndFree(9, Largest);
            });
            _time.TickEach(2);
            Assert.InRange(_allocator.CommittedBytes, Chunk, (round + 2) * Chunk);
        }

        kept.ForEach(block => _allocator.Free((void*)block));
    }

    [Fact]
    public void Allocate_PhasesOfOtherSizes_CommittedBytesStayBounded()
    {
        const long Phase = 96 * Chunk;
        foreach (var size in new[] { 1000, 3000, 120, 20_000, 500, 100_000 })
        {
            AllocateAndFree((int)(Phase / size), size);
        }

        // Each new size may grow the node by a quarter before memory is given from size to size, until there is twice a phase.
        Assert.InRange(_allocator.CommittedBytes, Phase * 3 / 4, Phase * 3);
    }

    // Of each run one block is in use, so the others stay with their size: more than half of what the node has.
    [Fact]
    public void Allocate_InterruptedBeforeMemoryOfAnotherSizeIsGivenBack_LosesNoBlock()
    {
        using var gate = new Gate();
        using var advising = new ManualResetEventSlim();
        var blocks = new List<nint>();
        while (_allocator.GetStatistics(new(0)).CommittedBytes < 63 * Chunk)
        {
            blocks.Add((nint)_allocator.Allocate(8192));
        }

        var kept = blocks.DistinctBy(static block => block >> AllocatorChunk.SmallRunShift).ToList();
        blocks.Except(kept).ToList().ForEach(block => _allocator.Free((void*)block));

        // A trim that is held up on the other node.
        TestThreads.Run(() => _allocator.Free(_allocator.Allocate(64, new(2))));
        _memory.OnAdvising = (_, _, _) =>
        {
            advising.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => _allocator.Trim());
        Wait.For(advising);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => _allocator.Free(_allocator.Allocate(Largest)));
        });
        Wait.For(other);
        gate.Open();
        Wait.For(one);
        _memory.OnAdvising = static (_, _, _) => { };
        kept.ForEach(block => _allocator.Free((void*)block));

        Assert.IsType<ThreadInterruptedException>(outcome);
        Assert.Equal(0L, _allocator.AllocatedBytes);
    }

    // Each size needs a magazine, and those that are discarded together are more than are left.
    [Fact]
    public void Free_InterruptedWhileMagazinesAreDiscarded_BlocksAreFree()
    {
        using var gate = new Gate();
        using var advising = new ManualResetEventSlim();
        var blocks = Enumerable.Range(0, 90).Select(each => (nint)_allocator.Allocate((nuint)SizeClasses.SizeOf(each))).ToArray();
        TestThreads.Run(() => AllocateAndFree(40_000, 64));
        _own.OnAdvising = (_, _, _) =>
        {
            advising.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => _allocator.Trim());
        Wait.For(advising);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => Array.ForEach(blocks, block => _allocator.Free((void*)block)));
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);
        _own.OnAdvising = static (_, _, _) => { };

        Assert.Null(outcome);
        Assert.Equal(0L, _allocator.AllocatedBytes);
    }

    [Theory]
    [InlineData(200)]
    [InlineData(2000, Traits = ["tier", "deep"])]
    public void Allocate_ManyShortThreads_NeedNoMoreMemoryThanTheFirst(int threads)
    {
        var passed = new List<nint>();
        void Work(int index)
        {
            _threads.NodeId = new(index % 2 * 2);
            passed.ForEach(block => _allocator.Free((void*)block));
            passed.Clear();
            AllocateAndFree(700, 64);
            AllocateAndFree(50, 5000);
            passed.AddRange(Enumerable.Range(0, 300).Select(i => (nint)_allocator.Allocate((nuint)(16 << (i % 8)))));
        }

        for (var i = 0; i < 100; i++)
        {
            TestThreads.Run(1, _ => Work(i));
        }

        var (committed, own) = (_allocator.CommittedBytes, _own.CommittedBytes);
        for (var i = 0; i < threads; i++)
        {
            TestThreads.Run(1, _ => Work(i));
        }

        Assert.InRange(_allocator.CommittedBytes, 0, committed + Chunk);
        Assert.InRange((long)_own.CommittedBytes, 0, (long)own + (128 * 1024));
        Assert.Equal(300, _allocator.GetStatistics(new(0)).AllocatedBlocks + _allocator.GetStatistics(new(2)).AllocatedBlocks);
        passed.ForEach(block => _allocator.Free((void*)block));
        _allocator.Trim();
        Assert.Equal(0, _allocator.CommittedBytes);
    }

    [Fact]
    public void OnTick_AllocatorForgotten_TimerStops()
    {
        Forget();
        Wait.UntilCollected(() =>
        {
            _time.Tick();
            return _time.TimerCount == 1;
        });
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private void Forget() => new NumaAllocator(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
    {
        AddressSpacePerNode = 1L << 30,
        TrimAfter = TimeSpan.FromSeconds(1),
        Time = _time,
    }).GetStatistics(new(0));

    private void AllocateAndFree(int count, int size)
    {
        var blocks = new nint[count];
        foreach (ref var block in blocks.AsSpan())
        {
            block = (nint)_allocator.Allocate((nuint)size);
        }

        Array.ForEach(blocks, block => _allocator.Free((void*)block));
    }

    private NumaAllocator Create(long keep) => new(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
    {
        Memory = _memory,
        OwnMemory = _own,
        Affinity = _threads,
        AddressSpacePerNode = 1L << 30,
        TrimAfter = TimeSpan.FromSeconds(1),
        KeepPerNode = keep,
        Time = _time,
    });
}
