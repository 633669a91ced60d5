using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed class FirstToucherTests : IDisposable
{
    private const int MiB = 1 << 20;

    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));
    private readonly TouchPlace _node1 = new(CpuSet.Range(4, 4));
    private readonly List<(INumaMemoryProvider Memory, nint Address, nuint Size)> _reserved = [];

    private INumaMemoryProvider Memory => _machine.Platform.Memory;

    public void Dispose()
    {
        _reserved.ForEach(static range => range.Memory.Release(range.Address, range.Size));
        _machine.Dispose();
    }

    [Fact]
    public void Commit_FromManyThreads_OneThreadTouchesAndIsPinnedOnce()
    {
        // The thread that is idle for long ends, and the next one is pinned, too.
        var toucher = new FirstToucher(Memory, _machine.Platform.Affinity, idle: Wait.Limit);
        TestThreads.Run(8, _ =>
        {
            for (var i = 0; i < 5; i++)
            {
                Assert.True(toucher.Commit(Reserve(Memory, MiB), MiB, _node1, out var pinned).Succeeded);
                Assert.True(pinned.Succeeded);
            }
        });

        Assert.Equal(40L * MiB, _machine.GetUsedBytes(new(1)));
        Assert.Equal(1, _machine.GetCallCount(SimulatedOperation.SetThreadCpus));
        Assert.All(CallsOf(SimulatedOperation.Commit), static call => Assert.Equal("numa-first-touch", call.ThreadName));
        Assert.Single(CallsOf(SimulatedOperation.Commit).Select(static call => call.ThreadId).Distinct());
    }

    [Fact]
    public void Commit_PlaceOfAnotherPlan_PinsAgain()
    {
        var toucher = new FirstToucher(Memory, _machine.Platform.Affinity, idle: Wait.Limit);
        toucher.Commit(Reserve(Memory, MiB), MiB, _node1, out _);
        toucher.Commit(Reserve(Memory, MiB), MiB, new TouchPlace(_node1.Cpus), out _);
        toucher.Commit(Reserve(Memory, 2 * MiB), 2 * MiB, new TouchPlace(CpuSet.Range(0, 4)), out _);

        Assert.Equal(
            ["4-7", "4-7", "0-3"], CallsOf(SimulatedOperation.SetThreadCpus).Select(static call => call.Cpus.ToString()));
        Assert.Equal((2L * MiB, 2L * MiB), (_machine.GetUsedBytes(new(0)), _machine.GetUsedBytes(new(1))));
    }

    [Fact]
    public void Commit_ThreadCannotBeStarted_CommitsHereAndTriesAgain()
    {
        var starts = 0;
        var toucher = new FirstToucher(Memory, _machine.Platform.Affinity, thread =>
        {
            if (starts++ == 0)
            {
                throw new InsufficientMemoryException();
            }

            thread.Start();
        });

        Assert.True(toucher.Commit(Reserve(Memory, MiB), MiB, _node1, out var pinned).Succeeded);
        Assert.Equal(nameof(InsufficientMemoryException), pinned.ErrorName);
        Assert.Equal(Environment.CurrentManagedThreadId, Assert.Single(CallsOf(SimulatedOperation.Commit)).ThreadId);
        Assert.True(toucher.Commit(Reserve(Memory, MiB), MiB, _node1, out pinned).Succeeded);
        Assert.True(pinned.Succeeded);
        Assert.Equal(2, starts);
    }

    [Fact]
    public void Commit_AfterTheThreadHasBeenIdle_StartsAnother()
    {
        var threads = new List<Thread>();
        var toucher = new FirstToucher(
            Memory,
            _machine.Platform.Affinity,
            thread =>
            {
                threads.Add(thread);
                thread.Start();
            },
            TimeSpan.FromMilliseconds(1));
        for (var i = 1; i <= 3; i++)
        {
            Assert.True(toucher.Commit(Reserve(Memory, MiB), MiB, _node1, out var pinned).Succeeded);
            Assert.True(pinned.Succeeded);
            Assert.Equal(i, threads.Count);
            Wait.For(threads[^1]);
        }
    }

    [Fact]
    public void Commit_RefusedInTheMiddle_TakesNothing()
    {
        var toucher = new FirstToucher(Memory, _machine.Platform.Affinity);
        _machine.Inject(new SimulatedFault(SimulatedOperation.Commit, SimulatedError.ENOMEM) { After = 3, Times = 1 });
        var address = Reserve(Memory, 5 * MiB);

        Assert.Equal("ENOMEM", toucher.Commit(address, 5 * MiB, _node1, out _).ErrorName);
        Assert.Equal(0L, _machine.GetUsedBytes(new(0)) + _machine.GetUsedBytes(new(1)));
        Assert.True(toucher.Commit(address, 5 * MiB, _node1, out _).Succeeded);
        Assert.Equal(5L * MiB, _machine.GetUsedBytes(new(1)));
    }

    [Fact]
    public void Commit_ProviderThrowsInTheMiddle_CallerGetsItAndTheThreadContinues()
    {
        var (memory, commits) = (new FaultyMemoryProvider(), 0);
        memory.OnCommit = () => ++commits == 3 ? throw new InvalidOperationException("No.") : NumaResult.Success;
        var toucher = new FirstToucher(memory, _machine.Platform.Affinity, idle: Wait.Limit);
        var address = Reserve(memory, 5 * MiB);

        var exception = Assert.Throws<InvalidOperationException>(() => toucher.Commit(address, 5 * MiB, _node1, out _));
        Assert.Equal("No.", exception.Message);
        Assert.True(toucher.Commit(address, 5 * MiB, _node1, out _).Succeeded);
        Assert.Equal(1, _machine.GetCallCount(SimulatedOperation.SetThreadCpus));
    }

    [Fact]
    public void Commit_WhileALargeRangeIsTouched_WaitsForOnePartOfIt()
    {
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        var before = new List<nuint>();
        memory.OnCommit = () =>
        {
            before.Add(memory.CommittedBytes);
            touching.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        var toucher = new FirstToucher(memory, _machine.Platform.Affinity);
        var (large, small) = (Reserve(memory, 8 * MiB), Reserve(memory, 4096));
        var one = TestThreads.Start(() => toucher.Commit(large, 8 * MiB, _node1, out _));
        Wait.For(touching);
        var other = TestThreads.Start(() => toucher.Commit(small, 4096, _node1, out _));
        Wait.UntilBlocked(other);
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        // What was there before the first, second and third part.
        Assert.Equal([0, MiB, MiB + 4096], before.Take(3).Select(static bytes => (int)bytes));
        Assert.Equal(9, before.Count);
    }

    [Fact]
    public void Commit_CallerIsInterrupted_ReturnsWhenTheRangeIsDoneAndStaysInterrupted()
    {
        using var never = new Gate();
        using var gate = new Gate();
        using var touching = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider
        {
            OnCommit = () =>
            {
                touching.Set();
                gate.Pass();
                return NumaResult.Success;
            },
        };
        var toucher = new FirstToucher(memory, _machine.Platform.Affinity);
        var address = Reserve(memory, MiB);
        var (committed, isTooEarly, isInterrupted) = (false, false, false);
        var thread = TestThreads.Start(() =>
        {
            // It ends the first wait, whenever that comes.
            Thread.CurrentThread.Interrupt();
            committed = toucher.Commit(address, MiB, _node1, out _).Succeeded;
            isTooEarly = !gate.IsOpen;
            isInterrupted = Record.Exception(never.Pass) is ThreadInterruptedException;
        });
        Wait.For(touching);
        Wait.UntilBlocked(thread);
        gate.Open();
        Wait.For(thread);
        Assert.Equal((true, false, true), (committed, isTooEarly, isInterrupted));
    }

    private IEnumerable<SimulatedCall> CallsOf(SimulatedOperation operation) =>
        _machine.Calls.Where(call => call.Operation == operation);

    private nint Reserve(INumaMemoryProvider memory, nuint size)
    {
        memory.Reserve(size, memory.PageSize, out var address).ThrowIfFailed("reserve");
        lock (_reserved)
        {
            _reserved.Add((memory, address, size));
        }

        return address;
    }
}
