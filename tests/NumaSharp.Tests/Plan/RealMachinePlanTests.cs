using NumaSharp.Core;
using NumaSharp.Tests.Core.Topology;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Real machines under every policy and granularity.</summary>
public sealed class RealMachinePlanTests(RealMachines machines)
{
    [Theory]
    [MemberData(nameof(RealMachineTests.Machines), MemberType = typeof(RealMachineTests))]
    public void Create_RealMachine_EveryPlanHoldsTheInvariants(string name)
    {
        var topology = machines.Read(name);

        foreach (var request in RequestsFor(topology))
        {
            PlanInvariants.CheckAll(new PlanCase(topology, request), NumaPlan.Create(topology, request));
        }
    }

    private static IEnumerable<NumaPlanRequest> RequestsFor(NumaTopology topology) =>
        from policy in Enum.GetValues<NumaMemoryPolicy>()
        from granularity in Enum.GetValues<NumaAffinityGranularity>()
        from avoidSiblings in new List<bool> { false, true }
        from threads in new List<int> { 0, 3 }
        select new NumaPlanRequest
        {
            Policy = policy,
            Granularity = granularity,
            AvoidSmtSiblings = avoidSiblings,
            ThreadsPerNode = threads,
            Map = policy == NumaMemoryPolicy.Custom
                ? new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>
                {
                    [FirstPlanned(topology)] = [.. topology.MemoryNodes.Reverse().Select(static id => new NumaNodeId(id))],
                }
                : new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>(),
        };

    private static NumaNodeId FirstPlanned(NumaTopology topology) => NumaPlan.Create(topology).Nodes[0].NodeId;
}
