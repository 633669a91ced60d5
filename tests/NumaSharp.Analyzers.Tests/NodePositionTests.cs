namespace NumaSharp.Analyzers.Tests;

public sealed class NodePositionTests
{
    [Theory]
    [InlineData("Use(new NumaNodeId([|node.NodeIndex|]));")]
    [InlineData("NumaNodeId other = new([|node.ServingIndex|]); Use(other);")]
    [InlineData("Use(new NumaNodeId([|NumaTaskScheduler.CurrentNodeIndex|]));")]
    [InlineData("Use(new NumaNodeId([|plan.IndexOfCpu(3)|]));")]
    [InlineData("using var pool = new NumaMemoryPool([|loop.NodeIndex|]); Use(pool);")]
    [InlineData("for (var i = 0; i < plan.Nodes.Count; i++) { Use(new NumaNodeId([|i|])); }")]
    [InlineData("for (var i = 0; i < topology.NodeCount; i++) { Use(plan.FindNode(new([|i|]))!); }")]
    [InlineData("for (var i = 0; i < pools.Count; i++) { Use(pools.ForNode(new NumaNodeId([|i|]))); }")]
    [InlineData("Use(pools[[|node.NodeId.Value|]]);")]
    [InlineData("Use(scheduler.RunOnNode([|id.Value|], () => { }));")]
    [InlineData("Use(scheduler.GetStolenByDistance([|topology.Nodes[0].NodeId|]));")]
    [InlineData("Use(plan.Nodes[[|id.Value|]]);")]
    [InlineData("Use(topology.Nodes[[|node.NodeId.Value|]]);")]
    [InlineData("Use(services.GetRequiredKeyedService<NumaMemoryPool>([|node.NodeIndex|]));")]
    [InlineData("for (var i = 0; i < plan.Nodes.Count; i++) { Use(services.GetKeyedService<TaskScheduler>([|i|])!); }")]
    [InlineData("var index = node.NodeIndex; Use(new NumaNodeId([|index|]));")]
    [InlineData("var number = id.Value; Use(pools[[|number|]]);")]
    public Task Number_OfTheOtherKind_IsReported(string body) => Sample.ReportsAsync("NUMA0004", With(body));

    [Theory]
    [InlineData("Use(new NumaNodeId(3));")]
    [InlineData("Use(new NumaNodeId(node.NodeId.Value));")]
    [InlineData("Use(new NumaNodeId(topology.Nodes[0].NodeId));")]
    [InlineData("using var pool = new NumaMemoryPool(id.Value); Use(pool);")]
    [InlineData("for (var i = 0; i < 4; i++) { Use(new NumaNodeId(i)); }")]
    [InlineData("for (int i = 0, id1 = 8; i < plan.Nodes.Count; i++, id1 += 8) { Use(new NumaNodeId(id1)); }")]
    [InlineData("var index = node.NodeIndex; index = id.Value; Use(new NumaNodeId(index));")]
    [InlineData("var number = 3; var other = number; Use(new NumaNodeId(other));")]
    [InlineData("for (var i = 0; i < plan.Nodes[0].Loops; i++) { Use(new NumaNodeId(i)); }")]
    [InlineData("for (var i = 0; i < plan.Nodes.Count; i++) { Use(pools[i]); Use(plan.Nodes[i]); }")]
    [InlineData("foreach (var each in plan.Nodes) { Use(pools[each.NodeIndex]); Use(pools.ForNode(each.NodeId)); }")]
    [InlineData("var names = new string[64]; Use(names[id.Value]);")]
    [InlineData("Use(Enumerable.Repeat(0, 64).ToList()[id.Value]);")]
    [InlineData("Use(Own(nodeIndex: id.Value));")]
    [InlineData("Use(services.GetRequiredKeyedService<NumaMemoryPool>(node.NodeId));")]
    [InlineData("Use(services.GetRequiredKeyedService<string>(node.NodeIndex));")]
    public Task Number_OfTheRightKind_IsNotReported(string body) => Sample.ReportsNothingAsync(With(body));

    [Theory]
    [InlineData("Use(new NumaNodeId([|node.NodeIndex|]));", "Use(node.NodeId);")]
    [InlineData("NumaNodeId it = new([|loop.NodeIndex|]); Use(it);", "NumaNodeId it = loop.NodeId; Use(it);")]
    [InlineData("Use(new NumaNodeId([|NumaEventLoop.Current!.NodeIndex|]));", "Use(NumaEventLoop.Current!.NodeId);")]
    [InlineData("Use(new NumaNodeId([|((NumaNodePlan)any).NodeIndex|]));", "Use(((NumaNodePlan)any).NodeId);")]
    [InlineData("Use(((NumaMemoryPools)any)[[|id.Value|]]);", "Use(((NumaMemoryPools)any).ForNode(id));")]
    [InlineData("Use(pools[[|id.Value|]]);", "Use(pools.ForNode(id));")]
    [InlineData("Use(pools[[|topology.Nodes[0].NodeId|]]);", "Use(pools.ForNode(topology.Nodes[0].Id));")]
    [InlineData(
        "for (var i = 0; i < plan.Nodes.Count; i++) { Use(new NumaNodeId([|i|])); }",
        "for (var i = 0; i < plan.Nodes.Count; i++) { Use(plan.Nodes[i].NodeId); }")]
    [InlineData(
        "for (var i = 0; i < topology.Nodes.Count; i++) { Use(new NumaNodeId([|i|])); }",
        "for (var i = 0; i < topology.Nodes.Count; i++) { Use(topology.Nodes[i].Id); }")]
    [InlineData(
        "for (var i = 0; i < topology.NodeCount; i++) { Use(new NumaNodeId([|i|])); }",
        "for (var i = 0; i < topology.NodeCount; i++) { Use(topology.Nodes[i].Id); }")]
    [InlineData(
        "for (var i = 0; i < pools.Count; i++) { Use(new NumaNodeId([|i|])); }",
        "for (var i = 0; i < pools.Count; i++) { Use(pools[i].NodeId); }")]
    public Task Number_OfTheOtherKind_CanBeReplaced(string body, string expected) =>
        Sample.IsFixedAsync("NUMA0004", With(body), With(expected));

    // What FindNode returns may be null, and a scheduler has no call that takes an id.
    [Theory]
    [InlineData("Use(plan.Nodes[[|id.Value|]]);")]
    [InlineData("Use(scheduler.RunOnNode([|id.Value|], () => { }));")]
    [InlineData("Use(new NumaNodeId([|plan.IndexOfCpu(3)|]));")]
    [InlineData("var index = node.NodeIndex; Use(new NumaNodeId([|index|]));")]
    [InlineData("Use(new NumaNodeId(/* of the plan */ [|node.NodeIndex|]));")]
    public Task Number_WithoutASafeReplacement_HasNoFix(string body) => Sample.HasNoFixAsync("NUMA0004", With(body));

    private static string With(string body) => $$"""
        class C
        {
            static void Run(
                NumaPlan plan, NumaTopology topology, NumaNodePlan node, NumaNodeId id, NumaMemoryPools pools,
                NumaTaskScheduler scheduler, NumaEventLoop loop, IServiceProvider services, object any)
            {
                {{body}}
            }

            static void Use(object it)
            {
            }

            static int Own(int nodeIndex) => nodeIndex;
        }
        """;
}
