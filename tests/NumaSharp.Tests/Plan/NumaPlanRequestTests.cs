using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

public sealed class NumaPlanRequestTests
{
    public static TheoryData<NumaPlanRequest> Others =>
    [
        new NumaPlanRequest(),
        Request() with { Weights = new Dictionary<NumaNodeId, int> { [new(0)] = 3 } },
        Request() with { Weights = new Dictionary<NumaNodeId, int> { [new(0)] = 3, [new(1)] = 2 } },
        Request() with { Weights = new Dictionary<NumaNodeId, int> { [new(0)] = 3, [new(2)] = 1 } },
        Request() with { Map = MapOf([new(0), new(1)]) },
        Request() with { Map = MapOf([new(1)]) },
        Request() with { Map = MapOf(null!) },
        Request() with { ThreadsPerNode = 2 },
        Request() with { Cpus = CpuSet.FromIds(0) },
    ];

    [Fact]
    public void Equals_SameValues_IsTrue()
    {
        Assert.Equal(Request(), Request());
        Assert.Equal(Request().GetHashCode(), Request().GetHashCode());
        Assert.Equal(new NumaPlanRequest(), new NumaPlanRequest { Weights = new Dictionary<NumaNodeId, int>() });
        Assert.Equal(Request() with { Map = MapOf(null!) }, Request() with { Map = MapOf(null!) });
    }

    [Theory]
    [MemberData(nameof(Others), DisableDiscoveryEnumeration = true)]
    public void Equals_AnotherValue_IsFalse(NumaPlanRequest other)
    {
        Assert.NotEqual(Request(), other);
        Assert.NotEqual(other, Request());
    }

    [Fact]
    public void Plan_TheCallersCollectionsChange_KeepsItsOwn()
    {
        var order = new List<NumaNodeId> { new(1), new(0) };
        var map = new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> { [new(0)] = order };
        var request = new NumaPlanRequest { Policy = NumaMemoryPolicy.Custom, Map = map };
        var plan = NumaPlan.Create(TestMachines.Row(2, 2).Read(), request);
        order.Reverse();
        map.Add(new(1), [new(0)]);

        Assert.Equal(request, plan.Request);
        Assert.Equal([new(1), new(0)], Assert.Single(plan.Request.Map).Value);
    }

    private static NumaPlanRequest Request() => new()
    {
        Cpus = CpuSet.FromIds(0, 1),
        Weights = new Dictionary<NumaNodeId, int> { [new(1)] = 1, [new(0)] = 3 },
        Map = MapOf([new(1), new(0)]),
    };

    private static Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> MapOf(IReadOnlyList<NumaNodeId> order) =>
        new() { [new(0)] = order };
}
