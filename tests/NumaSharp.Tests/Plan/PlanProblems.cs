using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What keeps a request from fitting a machine; there is a plan exactly if that is nothing.</summary>
internal static class PlanProblems
{
    public static IReadOnlyList<NumaPlanProblem> Of(NumaTopology topology, NumaPlanRequest request)
    {
        Assert.Equal(NumaPlan.TryCreate(topology, request, out var plan, out var problems), problems.Count == 0);
        Assert.Equal(plan is null, problems.Count > 0);
        return problems;
    }
}
