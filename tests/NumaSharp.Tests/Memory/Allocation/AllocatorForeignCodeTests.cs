using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// Providers and filters of exceptions are not the library's: while they run, another thread, for which they may wait, gets what
/// it needs of the allocator.
/// </summary>
public sealed unsafe class AllocatorForeignCodeTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly FakeAffinity _affinity = new();

    [Fact]
    public void Free_Checked_TheAffinityProviderIsCalledWithoutALock()
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan(), NumaMemoryCheckMode.Full);
        var (block, other) = ((nint)allocator.Allocate(100), (nint)allocator.Allocate(100));
        nuint size = 0;
        AtNextQuestion(() => size = TestThreads.Run(() => allocator.GetUsableSize((void*)other)));

        // A thread that has not asked before.
        TestThreads.Run(() => allocator.Free((void*)block));
        Assert.Equal((nuint)100, size);
        allocator.Free((void*)other);
    }

    [Fact]
    public void WrongPointer_Checked_FiltersOfTheExceptionRunWithoutALock()
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan(), NumaMemoryCheckMode.Full);
        var (block, other) = ((nint)allocator.Allocate(100), (nint)allocator.Allocate(100));
        allocator.Free((void*)block);
        Action[] wrong = [() => allocator.Free((void*)block), () => allocator.GetUsableSize((void*)block)];
        Assert.All(wrong, call =>
        {
            nuint size = 0;
            try
            {
                call();
            }
            catch (InvalidOperationException) when ((size = TestThreads.Run(() => allocator.GetUsableSize((void*)other))) != 0)
            {
                // What a filter throws is lost, and counts as false: then the exception comes out of the test.
            }

            Assert.Equal((nuint)100, size);
        });
        allocator.Free((void*)other);
    }

    [Fact]
    public void Free_ByANewThread_TheAffinityProviderIsCalledWithoutALock()
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        nint block = 0;

        // Its heap is left to the next thread.
        TestThreads.Run(() => block = (nint)allocator.Allocate(100));
        nint other = 0;
        AtNextQuestion(() => TestThreads.Run(() => other = (nint)allocator.Allocate(100)));
        TestThreads.Run(() => allocator.Free((void*)block));
        Assert.NotEqual(0, other);
        allocator.Free((void*)other);
    }

    [Fact]
    public void Apply_TheMemoryProviderBinds_OthersTakeFreeMemoryOfTheNode()
    {
        var plan = TestMachines.Row(4, 4).Plan();
        using var allocator = Create(plan);
        var block = (nint)allocator.Allocate(100, new(1));
        nint other = 0;
        _memory.OnBind = () =>
        {
            _memory.OnBind = static () => NumaResult.Success;

            // Of another size, for which the node has room beside the first.
            TestThreads.Run(() => other = (nint)allocator.Allocate(1000, new(1)));
            return NumaResult.Success;
        };
        allocator.Apply(plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan);
        Assert.NotEqual(0, other);
        Assert.Equal(1, allocator.GetNodeId((void*)other).Value);

        allocator.Free((void*)block);
        allocator.Free((void*)other);
    }

    [Fact]
    public void Dispose_TheMemoryProviderBinds_TheRangeStaysUntilItHas()
    {
        var plan = TestMachines.Row(4, 4).Plan();
        using var allocator = Create(plan);

        // By a thread that ends: then the disposal releases everything.
        TestThreads.Run(() => allocator.Free(allocator.Allocate(100, new(1))));
        Thread? disposing = null;
        var (isBinding, isTooEarly) = (false, false);
        _memory.OnAdvising = (_, _, _) => isTooEarly |= isBinding;
        _memory.OnBind = () =>
        {
            isBinding = true;
            var thread = disposing = TestThreads.Start(allocator.Dispose);
            Wait.UntilBlocked(thread);
            isBinding = false;
            return NumaResult.Success;
        };
        allocator.Apply(plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan);
        Wait.For(disposing!);
        Assert.False(isTooEarly);
        Assert.Equal(0, _memory.ReservationCount);
    }

    // The address space is released by a finalizer, which counts the blocks in use.
    [Fact]
    public void CountTaken_TheMemoryProviderCommits_TakesNoLock()
    {
        var plan = TestMachines.WithIds(0).Plan();
        using var range = AllocatorRange.Reserve(_memory, 1, (nuint)AllocatorRange.MinBytesPerNode);
        using var store = new MagazineStore(NumaPlatform.Default.Memory);
        var map = NativeMemory.AllocZeroed(range.BytesPerNode >> AllocatorChunk.SmallRunShift, sizeof(ushort));
        try
        {
            var options = new NumaAllocatorOptions { Fallbacks = new NumaFallbacks() };
            var memory = new NodeMemory("test", MemoryPlace.Of(plan, plan.Nodes[0]), options, _memory);
            var node = new AllocatorNode(0, memory, range, (ushort*)map, store, isGuarded: false);
            long? taken = null;
            _memory.OnCommit = () =>
            {
                taken = TestThreads.Run(() => node.CountTaken());
                return NumaResult.Success;
            };
            nint block;
            Assert.Equal(1, node.CentralOf(0).Carve(&block, 1, out _));
            Assert.Equal(0, taken);
            Assert.Equal(1, node.CountTaken());
        }
        finally
        {
            NativeMemory.Free(map);
        }
    }

    private NumaAllocator Create(NumaPlan plan, NumaMemoryCheckMode checks = NumaMemoryCheckMode.None) =>
        new(plan, new NumaAllocatorOptions
        {
            Memory = _memory,
            Affinity = _affinity,
            Fallbacks = new NumaFallbacks(),
            Checks = checks,
        });

    // All threads are on CPU 0.
    private void AtNextQuestion(Action call) => _affinity.OnCurrent = () =>
    {
        _affinity.OnCurrent = null;
        call();
        return 0;
    };
}
