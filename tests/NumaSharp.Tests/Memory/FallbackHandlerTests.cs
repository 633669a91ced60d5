using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Tests.Core.Planning;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>What handlers of <see cref="NumaFallbacks"/> may do: use what has reported, wait for others, and throw.</summary>
public sealed unsafe class FallbackHandlerTests
{
    private readonly FaultyMemoryProvider _memory = new() { OnBind = static () => FaultyMemoryProvider.NotPermitted };
    private readonly NumaFallbacks _fallbacks = new();

    [Theory]
    [InlineData(-1)]
    [InlineData(9_000_000)]
    public void Rent_HandlerWaitsForAThreadThatRents_BothGetTheirBlocks(int size)
    {
        using var pool = CreatePool();
        var ended = false;
        _fallbacks.Reported += (_, _) => ended = RunsToItsEnd(() => pool.RentBlock(size).Dispose());
        pool.RentBlock(size).Dispose();

        Callbacks.Wait();
        Assert.True(ended);
        Assert.Equal(0, pool.RentedBlocks);
    }

    [Fact]
    public void Rent_HandlerRentsWhereItIsRefusedToo_AThreadThatItWaitsForRentsThere()
    {
        using var first = CreatePool();
        using var second = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            NodeId = new(1),
            BindMode = NumaBindMode.Advisory,
            Memory = _memory,
            Fallbacks = _fallbacks,
        });
        var ended = 0;
        _fallbacks.Reported += (_, _) =>
        {
            second.RentBlock().Dispose();
            RunsToItsEnd(() => second.RentBlock(1 << 20).Dispose());
            ended++;
        };
        first.RentBlock().Dispose();

        Callbacks.Wait();
        Assert.Equal(2, ended);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(100_000)]
    [InlineData(9_000_000)]
    public void Rent_HandlerThrows_ThePoolDoesNotNotice(int size)
    {
        using var pool = CreatePool();
        _fallbacks.Reported += static (_, _) => throw new InvalidDataException("handler");

        pool.RentBlock(size).Dispose();
        Callbacks.Wait();
        Assert.Equal((0, 0), (pool.RentedBlocks, pool.RentedBytes));
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
        using (var block = pool.RentBlock(size))
        {
            block.GetSpan().Fill(1);
        }

        pool.Trim();
        Assert.Equal((0, 0), (pool.CommittedBytes, _memory.ReservationCount));
    }

    [Theory]
    [InlineData(64)]
    [InlineData(200_000)]
    [InlineData(2_000_000)]
    public void Allocate_HandlerWaitsForAThreadThatAllocates_BothGetTheirBlocks(int size)
    {
        using var allocator = CreateAllocator();
        var ended = false;
        _fallbacks.Reported += (_, _) => ended = RunsToItsEnd(() => allocator.Free(allocator.Allocate((nuint)size)));
        allocator.Free(allocator.Allocate((nuint)size));

        Callbacks.Wait();
        Assert.True(ended);
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(200_000)]
    [InlineData(2_000_000)]
    public void Allocate_HandlerThrows_TheAllocatorDoesNotNotice(int size)
    {
        var allocator = CreateAllocator();
        _fallbacks.Reported += static (_, _) => throw new InvalidDataException("handler");

        allocator.Free(allocator.Allocate((nuint)size));
        Callbacks.Wait();
        Assert.Equal(0, allocator.AllocatedBytes);
        var block = allocator.AllocateZeroed((nuint)size);
        allocator.Free(block);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
        allocator.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Apply_HandlerThrows_EverySlabHasBeenAsked()
    {
        _memory.OnBind = static () => NumaResult.Success;
        var plan = NumaPlan.Create(
            TestMachines.ReadAllowed("0-7", "0-1"), new NumaPlanRequest { BindMode = NumaBindMode.Strict });
        using var pools = new NumaMemoryPools(
            plan, new NumaMemoryPoolsOptions { Memory = _memory, Fallbacks = _fallbacks });
        pools[1].RentBlock().Dispose();
        pools[1].RentBlock(1 << 20).Dispose();
        var asked = 0;
        _memory.OnBind = () => ++asked > 0 ? FaultyMemoryProvider.Invalid : NumaResult.Success;
        _fallbacks.Reported += static (_, _) => throw new InvalidDataException("handler");

        pools.Apply(plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan);
        Assert.Equal((2, 0), (asked, pools[1].MemoryNodeId.Value));
    }

    [Fact]
    public void Provider_BindThrows_TheReservationIsGivenBack()
    {
        _memory.OnBind = static () => throw new InvalidDataException("provider");
        using var pool = CreatePool();

        Assert.Throws<InvalidDataException>(() => pool.RentBlock());
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Reallocate_FreeOfTheOldBlockThrows_TheNewOneIsFreedToo()
    {
        using var allocator = CreateAllocator();
        _memory.OnBind = static () => NumaResult.Success;
        var block = allocator.Allocate(80 << 20);
        _memory.OnRelease = () =>
        {
            _memory.OnRelease = static () => { };
            throw new InvalidDataException("provider");
        };

        Assert.Throws<InvalidDataException>(() => allocator.Reallocate(block, 1000));
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    public void OnTick_HandlerThrows_TheTimerContinues()
    {
        using var machine = new SimulatedMachine(TestMachines.WithIds(0));
        var time = new ManualTime();
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            Memory = machine.Platform.Memory,
            Fallbacks = _fallbacks,
            TrimAfter = TimeSpan.FromSeconds(10),
            Time = time,
        });
        var calls = new CallLog<string>();
        _fallbacks.Reported += (_, fallback) =>
        {
            calls.Add(fallback.Feature);
            throw new InvalidDataException("handler");
        };
        var blocks = Enumerable.Range(0, 5000).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());
        machine.Inject(new SimulatedFault(SimulatedOperation.Release, SimulatedError.ENOMEM));
        time.TickEach(2);

        Assert.Equal(["memory.release"], calls);
        Assert.Equal((1, TimeSpan.FromSeconds(10)), (time.TimerCount, time.Interval));
    }

    [Fact]
    public void OnTick_ProviderThrows_IsReportedAndTheTimerContinues()
    {
        var time = new ManualTime();
        var memory = new FaultyMemoryProvider();
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            Memory = memory,
            Fallbacks = _fallbacks,
            TrimAfter = TimeSpan.FromSeconds(10),
            KeepPerNode = 0,
            Time = time,
        });
        var blocks = Enumerable.Range(0, 1000).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());
        memory.OnRelease = static () => throw new InvalidDataException("provider");
        time.TickEach(2);
        Assert.Equal(
            "The memory provider threw while free memory was returned to the system. InvalidDataException: provider",
            Assert.Single(_fallbacks.Current).Message);

        memory.OnRelease = static () => { };
        time.Tick();
        Assert.Equal((0, 1, TimeSpan.FromSeconds(10)), (memory.ReservationCount, time.TimerCount, time.Interval));
    }

    private static bool RunsToItsEnd(ThreadStart work)
    {
        var thread = new Thread(work) { IsBackground = true };
        thread.Start();
        Wait.For(thread);
        return true;
    }

    private NumaMemoryPool CreatePool() => new(new NumaMemoryPoolOptions
    {
        BindMode = NumaBindMode.Advisory,
        Memory = _memory,
        Fallbacks = _fallbacks,
    });

    private NumaAllocator CreateAllocator() =>
        new(TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = NumaBindMode.Advisory }), Options());

    private NumaAllocatorOptions Options() => new() { Memory = _memory, Fallbacks = _fallbacks };
}
