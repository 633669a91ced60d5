using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>An allocator that gets memory while others allocate and free.</summary>
public sealed unsafe class AllocatorGrowthTests
{
    private const int MiB = 1 << 20;

    private readonly FaultyMemoryProvider _memory = new();

    [Fact]
    public void Allocate_WhileAChunkIsTouched_OthersTakeRunsThatAreFreeAndShareTheChunk()
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        using var allocator = Create();
        var first = (nint)allocator.Allocate(64, new(0));
        var commits = _memory.CommitCount;
        _memory.OnCommit = () =>
        {
            touching.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        nint[] large = [0, 0];
        var one = TestThreads.Start(() => large[0] = (nint)allocator.Allocate(200_000, new(0)));
        Wait.For(touching);

        // Another run of the first chunk.
        TestThreads.Run(() => allocator.Free(allocator.Allocate(128, new(0))));
        var other = TestThreads.Start(() => large[1] = (nint)allocator.Allocate(200_000, new(0)));
        Wait.UntilBlocked(other);
        gate.Open();
        Wait.For(one);
        Wait.For(other);
        Assert.Equal(commits + 1, _memory.CommitCount);
        allocator.Free((void*)first);
        allocator.Free((void*)large[0]);
        allocator.Free((void*)large[1]);
        Assert.Equal(0, allocator.AllocatedBytes);
        Assert.Equal(2L * MiB, allocator.CommittedBytes);
    }

    [Fact]
    public void Allocate_CommitRefusedOrBindingThrows_CountsStayExact()
    {
        using var allocator = Create(NumaBindMode.Strict);
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        Assert.Throws<NumaException>(() => allocator.Allocate(64, new(1)));
        Assert.Equal(0, allocator.CommittedBytes);
        _memory.OnBind = static () => NumaResult.Success;
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        Assert.Throws<OutOfMemoryException>(() => allocator.Allocate(64, new(1)));
        Assert.Equal(0, allocator.CommittedBytes);
        _memory.OnCommit = static () => NumaResult.Success;
        allocator.Free(allocator.Allocate(64, new(1)));
        Assert.Equal((long)MiB, allocator.CommittedBytes);
    }

    [Fact]
    public void Dispose_InterruptedWhileAnotherThreadGetsMemory_WaitsForThatThreadAndGivesEverythingBack()
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var allocator = Create();
        _memory.OnCommit = () =>
        {
            touching.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        nint block = 0;
        var one = TestThreads.Start(() => block = (nint)allocator.Allocate(64, new(0)));
        Wait.For(touching);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(allocator.Dispose);
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        allocator.Free((void*)block);
        Assert.Equal((0L, 0), (allocator.CommittedBytes, _memory.ReservationCount));
    }

    // It is counted as free already.
    [Fact]
    public void Dispose_InterruptedWhileTheLastLargeBlockIsUnmapped_GivesEverythingBack()
    {
        using var gate = new Gate();
        using var releasing = new ManualResetEventSlim();
        var allocator = Create();
        var large = (nint)allocator.Allocate(40 * MiB, new(0));
        _memory.OnRelease = () =>
        {
            releasing.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => allocator.Free((void*)large));
        Wait.For(releasing);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(allocator.Dispose);
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal((0L, 0), (allocator.CommittedBytes, _memory.ReservationCount));
    }

    private NumaAllocator Create(NumaBindMode mode = NumaBindMode.None) => new(
        TestMachines.WithIds(0, 1).Plan(new NumaPlanRequest { BindMode = mode }),
        new NumaAllocatorOptions { Memory = _memory, Affinity = new ThreadOnNode() });
}
