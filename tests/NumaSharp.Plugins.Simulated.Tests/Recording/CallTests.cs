using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Recording;

public sealed class CallTests
{
    [Fact]
    public void Calls_AreRecordedWithNodeSizeThreadAndAnswer()
    {
        using var machine = Machines.Create(8, 1);
        using var memory = new Support.Memory(machine, 2);
        memory.Bind(NumaPlacement.Bind(new(1)));
        memory.Commit();
        var size = (long)memory.Size;
        Assert.Equal(
            [
                (1, SimulatedOperation.Reserve, null, size, "ok"),
                (2, SimulatedOperation.Bind, 1, size, "ok"),
                (3, SimulatedOperation.Commit, (int?)1, size, "ENOMEM"),
            ],
            machine.Calls.Select(static call =>
                (call.Number, call.Operation, call.NodeId?.Value, call.SizeBytes, call.Result.ToString())));
        Assert.Equal([null, NumaPlacement.Bind(new(1)), null], machine.Calls.Select(static call => call.Placement));
        Assert.All(machine.Calls, static call => Assert.Equal(Environment.CurrentManagedThreadId, call.ThreadId));
    }

    [Fact]
    public void Calls_AboutThreads_NameTheCpus() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8);
        machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(1));
        var call = Assert.Single(machine.Calls);
        Assert.Equal(
            (SimulatedOperation.SetThreadCpus, 1, "1"), (call.Operation, call.NodeId!.Value.Value, call.Cpus.ToString()));
    });

    [Fact]
    public void Calls_MoreThanAreKept_DropTheOldestButCountAll()
    {
        var options = Machines.Small(8);
        options.CallCapacity = 3;
        using var machine = new SimulatedMachine(options);
        for (var i = 0; i < 5; i++)
        {
            machine.Platform.Topology.Read();
        }

        Assert.Equal([3, 4, 5], machine.Calls.Select(static call => (int)call.Number));
        Assert.Equal(5, machine.GetCallCount(SimulatedOperation.Read));
        machine.ClearCalls();
        Assert.Empty(machine.Calls);
        Assert.Equal(0, machine.GetCallCount(SimulatedOperation.Read));
    }

    [Fact]
    public void Calls_NoneAreKept_AreCounted()
    {
        var options = Machines.Small(8);
        options.CallCapacity = 0;
        using var machine = new SimulatedMachine(options);
        machine.Platform.Topology.Read();
        Assert.Empty(machine.Calls);
        Assert.Equal(1, machine.GetCallCount(SimulatedOperation.Read));
    }
}
