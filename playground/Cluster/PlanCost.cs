using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Playground.Cluster;

/// <summary>The cost of reading a machine and planning it: the median of several, and the bytes of one.</summary>
/// <param name="Read">The time of a reading of the simulated machine.</param>
/// <param name="Plan">The time of a plan.</param>
/// <param name="PlanBytes">The managed bytes that a plan takes.</param>
internal sealed record PlanCost(TimeSpan Read, TimeSpan Plan, long PlanBytes)
{
    private const int Rounds = 21;

    public static PlanCost Of(SimulatedMachineOptions options)
    {
        using var machine = new SimulatedMachine(options);
        var request = new NumaPlanRequest();
        var (reads, plans) = (new List<TimeSpan>(), new List<TimeSpan>());
        long bytes = 0;
        for (var round = 0; round < Rounds; round++)
        {
            var start = Stopwatch.GetTimestamp();
            var topology = machine.Platform.Topology.Read();
            reads.Add(Stopwatch.GetElapsedTime(start));
            var before = GC.GetAllocatedBytesForCurrentThread();
            start = Stopwatch.GetTimestamp();
            NumaPlan.Create(topology, request);
            plans.Add(Stopwatch.GetElapsedTime(start));
            bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        return new PlanCost(MedianOf(reads), MedianOf(plans), bytes);
    }

    /// <summary>The time of one plan, machine and all.</summary>
    public static TimeSpan Once(SimulatedMachineOptions options)
    {
        using var machine = new SimulatedMachine(options);
        var start = Stopwatch.GetTimestamp();
        NumaPlan.Create(machine.Platform.Topology.Read(), new NumaPlanRequest());
        return Stopwatch.GetElapsedTime(start);
    }

    private static TimeSpan MedianOf(IEnumerable<TimeSpan> times) => times.Order().ElementAt(Rounds / 2);
}
