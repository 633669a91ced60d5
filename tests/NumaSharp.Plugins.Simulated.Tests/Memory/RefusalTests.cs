using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Memory;

/// <summary>
/// The allocator and the pools on a machine that refuses: each call of an operation once, and all from each call on (a few
/// of them in the default tier). No user gets wrong memory, the failure is the system's, the books agree with the machine's,
/// and afterwards everything works.
/// </summary>
public abstract class RefusalTests
{
    private readonly NumaFallbacks _fallbacks = new();

    /// <summary>Every refusal that a user sees as an exception, or not at all.</summary>
    public static TheoryData<SimulatedOperation, SimulatedError, NumaBindMode> Refusals
    {
        get
        {
            var refusals = new TheoryData<SimulatedOperation, SimulatedError, NumaBindMode>
            {
                { SimulatedOperation.Commit, SimulatedError.ENOMEM, NumaBindMode.Advisory },
                { SimulatedOperation.Commit, SimulatedError.EIO, NumaBindMode.Strict },
                { SimulatedOperation.Reserve, SimulatedError.ENOMEM, NumaBindMode.Advisory },
                { SimulatedOperation.Release, SimulatedError.ENOMEM, NumaBindMode.Advisory },
            };
            foreach (var error in Enum.GetValues<SimulatedError>())
            {
                refusals.Add(SimulatedOperation.Bind, error, NumaBindMode.Advisory);
                refusals.Add(SimulatedOperation.Bind, error, NumaBindMode.Strict);
            }

            return refusals;
        }
    }

    [Theory]
    [MemberData(nameof(Refusals))]
    public void Work_OneCallRefused_FailsAsTheSystemAndRecovers(
        SimulatedOperation operation, SimulatedError error, NumaBindMode mode) => RefuseEach(operation, error, mode, times: 1);

    [Theory]
    [MemberData(nameof(Refusals))]
    public void Work_AllCallsRefusedFromOneOn_FailsAsTheSystemAndRecovers(
        SimulatedOperation operation, SimulatedError error, NumaBindMode mode) => RefuseEach(operation, error, mode, times: 0);

    [Theory]
    [InlineData(SimulatedError.EPERM)]
    [InlineData(SimulatedError.ENOSYS)]
    public void Work_BindingRefused_SaysItOncePerNodeAndTouchesThere(SimulatedError error)
    {
        using var machine = Create();
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, error));
        using var user = Use(machine, PlanOf(machine, NumaBindMode.Advisory), _fallbacks);
        Assert.Empty(user.Work());

        Assert.Equal(
            [("memory.bind", 0), ("memory.bind", 1)],
            _fallbacks.Current.Select(static fallback => (fallback.Feature, fallback.NodeId?.Value ?? -1)).Order());
        Assert.All(_fallbacks.Current, fallback => Assert.Contains($"{error}", fallback.Message, StringComparison.Ordinal));
        Assert.Equal(2, machine.GetCallCount(SimulatedOperation.Bind));

        // A thread for each node touches, on the node's CPU, so that pages are where they were asked for.
        Assert.Equal(2, machine.GetCallCount(SimulatedOperation.SetThreadCpus));
        var block = user.Allocate(50_000, nodeId: 1);
        machine.Platform.Memory.QueryNode(block, out var nodeId).ThrowIfFailed("query");
        Assert.Equal(1, nodeId?.Value);
        user.Free(block);
    }

    [Fact]
    public void Work_BindingAndPinningRefused_SaysBothAndWorks()
    {
        using var machine = Create();
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM));
        using var user = Use(machine, PlanOf(machine, NumaBindMode.Advisory), _fallbacks);
        Assert.Empty(user.Work());

        Assert.Equal(
            ["memory.bind", "memory.bind", "memory.touch", "memory.touch"],
            _fallbacks.Current.Select(static fallback => fallback.Feature).Order());
    }

    [Theory]
    [InlineData(NumaBindMode.Advisory)]
    [InlineData(NumaBindMode.Strict)]
    public void Work_BindingGranted_EveryPageIsOnItsNode(NumaBindMode mode)
    {
        using var machine = Create();
        using var user = Use(machine, PlanOf(machine, mode), _fallbacks);
        foreach (var node in new[] { 0, 1 })
        {
            var block = user.Allocate(1_300_000, node);
            for (var offset = 0; offset < 1_300_000; offset += (int)Machines.Page)
            {
                machine.Platform.Memory.QueryNode(block + offset, out var nodeId).ThrowIfFailed("query");
                Assert.Equal(node, nodeId?.Value);
            }

            user.Free(block);
        }

        Assert.Empty(_fallbacks.Current);
    }

    /// <summary>How many calls lie between two that are refused.</summary>
    private protected virtual int Step => 17;

    private protected abstract MemoryUser Use(SimulatedMachine machine, NumaPlan plan, NumaFallbacks fallbacks);

    private static SimulatedMachine Create() => Machines.Create((64 << 20) / Machines.Page, (64 << 20) / Machines.Page);

    private static NumaPlan PlanOf(SimulatedMachine machine, NumaBindMode mode) =>
        NumaPlan.Create(machine.Platform.Topology.Read(), new NumaPlanRequest { BindMode = mode });

    private protected void RefuseEach(SimulatedOperation operation, SimulatedError error, NumaBindMode mode, int times)
    {
        var wasMet = true;
        var number = 0;
        for (; wasMet; number += Step)
        {
            using var machine = Create();
            var plan = PlanOf(machine, mode);
            machine.Inject(new SimulatedFault(operation, error) { After = number, Times = times });
            TestThreads.Run(() => Refuse(machine, plan, operation, error));
            wasMet = machine.GetCallCount(operation) > number;
        }

        Assert.True(number > Step, $"{operation} was never asked for.");
    }

    private void Refuse(SimulatedMachine machine, NumaPlan plan, SimulatedOperation operation, SimulatedError error)
    {
        MemoryUser user;
        try
        {
            user = Use(machine, plan, _fallbacks);
        }
        catch (OutOfMemoryException exception)
        {
            Assert.True(operation == SimulatedOperation.Reserve, exception.Message);
            Assert.Equal(0, Used(machine));
            return;
        }

        var failures = user.Work();
        Assert.All(failures, failure => AssertIs(failure, operation, error, plan.BindMode));
        Assert.Equal(Used(machine), user.CommittedBytes);
        machine.ClearFaults();
        Assert.Empty(user.Work());
        user.Trim();
        Assert.Equal(Used(machine), user.CommittedBytes);
        Assert.True(operation == SimulatedOperation.Release || user.CommittedBytes == 0, $"{user.CommittedBytes} bytes stay.");
        user.Dispose();
        Assert.Equal(Used(machine), user.CommittedBytes);
        Assert.True(operation == SimulatedOperation.Release || Used(machine) == 0);
    }

    private static void AssertIs(Exception failure, SimulatedOperation operation, SimulatedError error, NumaBindMode mode)
    {
        Assert.Contains($"{error}", failure.Message, StringComparison.Ordinal);
        Assert.Contains("node ", failure.Message, StringComparison.Ordinal);
        if (operation == SimulatedOperation.Bind)
        {
            Assert.Equal(NumaBindMode.Strict, mode);
            Assert.Equal($"{error}", Assert.IsType<NumaException>(failure).Result?.ErrorName);
        }
        else
        {
            Assert.IsType<OutOfMemoryException>(failure);
            Assert.True(operation is SimulatedOperation.Commit or SimulatedOperation.Reserve, failure.ToString());
        }
    }

    private static long Used(SimulatedMachine machine) => machine.GetUsedBytes(new(0)) + machine.GetUsedBytes(new(1));

    public class OfTheAllocator : RefusalTests
    {
        [Theory]
        [InlineData(SimulatedOperation.Advise, SimulatedError.EINVAL, 0)]
        [InlineData(SimulatedOperation.Advise, SimulatedError.EINVAL, 1)]
        [InlineData(SimulatedOperation.GetCurrent, SimulatedError.ENOSYS, 0)]
        [InlineData(SimulatedOperation.GetCurrent, SimulatedError.ENOSYS, 1)]
        public void Work_WhatOnlyTheAllocatorAsksForIsRefused_Works(
            SimulatedOperation operation, SimulatedError error, int times) =>
            RefuseEach(operation, error, NumaBindMode.Advisory, times);

        private protected override MemoryUser Use(SimulatedMachine machine, NumaPlan plan, NumaFallbacks fallbacks) =>
            new AllocatorUser(machine, plan, fallbacks);
    }

    public class OfThePools : RefusalTests
    {
        private protected override MemoryUser Use(SimulatedMachine machine, NumaPlan plan, NumaFallbacks fallbacks) =>
            new PoolsUser(machine, plan, fallbacks);
    }

    [Trait("tier", "deep")]
    public sealed class EachOfTheAllocator : OfTheAllocator
    {
        private protected override int Step => 1;
    }

    [Trait("tier", "deep")]
    public sealed class EachOfThePools : OfThePools
    {
        private protected override int Step => 1;
    }
}
