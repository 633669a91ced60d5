using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

namespace NumaSharp.WindowsProbe;

/// <summary>A thread on each CPU in turn.</summary>
internal static class AffinityProbe
{
    public static Task Run(Checks checks)
    {
        var topology = new WindowsTopologyProvider().Read();
        var provider = new WindowsAffinityProvider();
        var thread = new Thread(() => PinToEach(checks, topology, provider));
        thread.Start();
        thread.Join();

        // The thread that started the other was never pinned.
        var result = provider.GetThreadCpus(out var cpus);
        checks.That(result.Succeeded && topology.AllowedCpus.IsSubsetOf(cpus), $"the main thread is free: {result}, {cpus}");
        return Task.CompletedTask;
    }

    private static void PinToEach(Checks checks, NumaTopology topology, WindowsAffinityProvider provider)
    {
        checks.That(provider.GetThreadCpus(out var before).Succeeded, "a thread's CPUs can be read");
        foreach (var cpu in topology.AllowedCpus)
        {
            var set = CpuSet.FromIds(cpu);
            var pinned = provider.SetThreadCpus(set);
            var read = provider.GetThreadCpus(out var now);
            var current = provider.GetCurrent(out var runsOn, out var nodeId);
            Console.WriteLine(
                $"pinned to CPU {cpu}: {pinned}; may run on {now}, runs on CPU {runsOn} of node {nodeId}: {current}");
            checks.That(pinned.Succeeded && read.Succeeded && current.Succeeded, $"pinning to CPU {cpu} works");
            checks.That(now.Equals(set), $"the thread may run on {set}, not {now}");
            checks.That(runsOn == cpu, $"the thread runs on CPU {cpu}, not {runsOn}");
            checks.That(topology.FindNode(nodeId)?.Cpus.Contains(cpu) == true, $"CPU {cpu} is on node {nodeId}");
        }

        var restored = provider.SetThreadCpus(before);
        provider.GetThreadCpus(out var after);
        Console.WriteLine($"restored to {before}: {restored}; may run on {after}");
        checks.That(restored.Succeeded && after.IsSubsetOf(before), "a thread can be given its CPUs back");
        var none = provider.SetThreadCpus(CpuSet.Empty);
        checks.That(none.Failure == NumaFailure.InvalidArgument, $"no CPUs are refused: {none}");
        var absent = provider.SetThreadCpus(CpuSet.FromIds(topology.AllowedCpus.Last + 1));
        Console.WriteLine($"pinning to a CPU that is not there: {absent}");
    }
}
