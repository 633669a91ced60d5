using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Pools that grow on many threads, and where another thread touches new memory first.</summary>
public sealed class PoolGrowthTests : IDisposable
{
    private const int MiB = 1 << 20;

    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Rent_ManyBlocksTouchedFirst_OneThreadTouchesThemInLargeUnits()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 64 * MiB / 4096).Select(_ => pool.RentBlock()).ToList();

        Assert.Equal(1, _machine.GetCallCount(SimulatedOperation.SetThreadCpus));
        Assert.InRange(_machine.GetCallCount(SimulatedOperation.Commit), 64, 70);
        var threads = _machine.Calls.Where(static call => call.Operation == SimulatedOperation.Commit)
            .Select(static call => call.ThreadId).Distinct();
        Assert.NotEqual(Environment.CurrentManagedThreadId, Assert.Single(threads));
        Assert.Equal(pool.CommittedBytes, _machine.GetUsedBytes(new(1)));
        blocks.ForEach(static block => block.Dispose());
    }

    [Theory]
    [InlineData(8 * MiB, 1, MiB)]
    [InlineData(4 * MiB, 1, MiB / 2)]
    [InlineData(MiB, 1, MiB / 8)]
    [InlineData(64 * 1024, 1, 8192)]
    public void Rent_TouchedFirstUnderALimit_TakesAnEighthOfItAtMost(long limit, int count, long committed)
    {
        using var pool = Create(limit);
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToList();
        Assert.InRange(pool.CommittedBytes, Math.Min(8192, committed), committed);
        blocks.ForEach(static block => block.Dispose());
    }

    [Theory]
    [InlineData(NumaBindMode.None)]
    [InlineData(NumaBindMode.Advisory)]
    public void Rent_EightThreadsUpToTheLimit_KeepToIt(NumaBindMode mode)
    {
        const long Limit = 8 * MiB;
        using var pool = Create(Limit, mode);
        var blocks = new ConcurrentBag<NumaMemoryBlock>();
        TestThreads.Run(8, _ => Assert.Throws<OutOfMemoryException>(FillUp));

        Assert.Equal((long)blocks.Count, pool.RentedBlocks);
        Assert.InRange(pool.CommittedBytes, Limit - (64 * 1024), Limit);
        Assert.Equal(pool.CommittedBytes, _machine.GetUsedBytes(new(1)));
        foreach (var block in blocks)
        {
            block.Dispose();
        }

        pool.Trim();
        Assert.Equal((0L, 0L, 0L), (pool.CommittedBytes, _machine.GetUsedBytes(new(1)), _machine.ReservedBytes));

        void FillUp()
        {
            while (true)
            {
                blocks.Add(pool.RentBlock());
                Assert.True(_machine.GetUsedBytes(new(0)) + _machine.GetUsedBytes(new(1)) <= Limit);
            }
        }
    }

    [Fact]
    public void Rent_WhileMemoryIsTouched_OthersRentWhatIsFreeAndShareWhatComes()
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var pool = Create(memory: memory);
        var first = Enumerable.Range(0, 252).Select(_ => pool.RentBlock()).ToList();
        Assert.Equal(0, pool.PooledBytes);
        var commits = memory.CommitCount;
        memory.OnCommit = () =>
        {
            touching.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        var rented = new ConcurrentBag<NumaMemoryBlock>();
        var waiting = Enumerable.Range(0, 4).Select(_ => TestThreads.Start(() => rented.Add(pool.RentBlock()))).ToArray();
        Wait.For(touching);
        Assert.All(waiting, static thread => Wait.UntilBlocked(thread));

        // What comes back is rented at once.
        first[^1].Dispose();
        NumaMemoryPool.SpillThreadCache();
        TestThreads.Run(() => pool.RentBlock().Dispose());
        gate.Open();
        Array.ForEach(waiting, static thread => Wait.For(thread));
        Assert.Equal((4, commits + 1), (rented.Count, memory.CommitCount));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rent_InterruptedWhileItsMemoryIsTouched_CountsStayExact(bool isRefused)
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var pool = Create(memory: memory);
        memory.OnReserve = static () =>
        {
            // On the renter's thread, whose next wait is the one for the thread that touches.
            Thread.CurrentThread.Interrupt();
            return NumaResult.Success;
        };
        memory.OnCommit = () =>
        {
            touching.Set();
            gate.Pass();
            return isRefused ? FaultyMemoryProvider.NoMemory : NumaResult.Success;
        };
        var outcome = default(Exception);
        var isTooEarly = false;
        var thread = TestThreads.Start(() =>
        {
            outcome = Record.Exception(() => pool.RentBlock().Dispose());
            isTooEarly = !gate.IsOpen;
        });
        Wait.For(touching);
        Wait.UntilBlocked(thread, () => $"{outcome}");
        gate.Open();
        Wait.For(thread);

        Assert.False(isTooEarly, "It has returned while its memory is written to.");
        Assert.True(outcome is null or OutOfMemoryException or ThreadInterruptedException, $"{outcome}");
        Assert.Equal(0, pool.RentedBlocks);
        Assert.Equal(isRefused, pool.CommittedBytes == 0);
        pool.Trim();
        Assert.Equal((0L, 0), (pool.CommittedBytes, memory.ReservationCount));
    }

    [Fact]
    public void Dispose_WhileMemoryIsTouched_RenterIsRefusedAndNothingStays()
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        var pool = Create(memory: memory);
        memory.OnCommit = () =>
        {
            touching.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        var outcome = default(Exception);
        var thread = TestThreads.Start(() => outcome = Record.Exception(() => pool.RentBlock()));
        Wait.For(touching);
        pool.Dispose();
        Assert.Equal(1, memory.ReservationCount);
        gate.Open();
        Wait.For(thread);
        Assert.IsType<ObjectDisposedException>(outcome);
        Assert.Equal((0L, 0), (pool.CommittedBytes, memory.ReservationCount));
    }

    private NumaMemoryPool Create(
        long limit = 0, NumaBindMode mode = NumaBindMode.None, INumaMemoryProvider? memory = null) =>
        new(new NumaMemoryPoolOptions
        {
            NodeId = new(1),
            LimitPerNode = limit,
            BindMode = mode,
            Memory = memory ?? _machine.Platform.Memory,
            Affinity = _machine.Platform.Affinity,
            FirstTouchCpus = CpuSet.Range(4, 4),
        });
}
