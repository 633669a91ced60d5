using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Configuration;

/// <summary>Settings of the plan, on a machine of nodes 0 and 1 with four CPUs.</summary>
public sealed class PlanSettingsTests
{
    [Fact]
    public void Map_KeyPerNode_BecomesThePlansMemory()
    {
        var plan = PlanOf(("Binding:Policy", "custom"), ("Binding:Map:0", " 1, 0 "), ("Binding:Map:1", "0"));

        Assert.Equal([new(1), new(0)], plan.Nodes[0].MemoryNodeIds);
        Assert.Equal([new(0)], plan.Nodes[1].MemoryNodeIds);
    }

    [Fact]
    public void Weights_KeyPerNode_BecomeThePlansWeights()
    {
        var plan = PlanOf(("Binding:Policy", "WeightedInterleave"), ("Binding:Weights:1", "7"), ("Binding:Weights:0", ""));

        Assert.Equal([1, 7], plan.Nodes[0].MemoryWeights);
    }

    [Fact]
    public void Affinity_GranularityAndSiblings_ReachThePlan()
    {
        var plan = PlanOf(("Affinity:Granularity", "cpu"), ("Affinity:AvoidSmtSiblings", "true"));

        Assert.All(plan.Nodes.SelectMany(static node => node.ThreadCpus), static set => Assert.Single(set));
        Assert.True(plan.Request.AvoidSmtSiblings);
    }

    [Fact]
    public void NetworkDevice_Auto_ReachesThePlan() =>
        Assert.Equal("Auto", PlanOf(("Binding:NetworkDevice", "Auto")).Request.NetworkDevice);

    [Fact]
    public void Mistakes_OfEveryKind_NameTheKeyTheValueAndWhatIsAllowed()
    {
        string[] expected =
        [
            "Numa:Affinity:Granularity = 'Socket': must be one of Auto, Node, Cache, Core, Cpu",
            "Numa:Binding:Weights:1 = '300': the key must be a node, the value an integer from 1 to 255",
            "Numa:Binding:Weights:first = '1': the key must be a node, the value an integer from 1 to 255",
            "Numa:Binding:Map:0 = '...': must be nodes in order such as '0,2', not an object or an array",
            "Numa:Binding:Map:1 = '0-1': the key must be a node, the value nodes in order such as '0,2'",
            "Numa:Binding:NetworkDevice = 'eth7': no network interface with hardware behind it is known here; a container's own "
                + "has none",
        ];

        Assert.Equal(expected, FailuresOf(
            ("Affinity:Granularity", "Socket"),
            ("Binding:Weights:first", "1"),
            ("Binding:Weights:1", "300"),
            ("Binding:Map:0:0", "1"),
            ("Binding:Map:1", "0-1"),
            ("Binding:NetworkDevice", "eth7")));
    }

    [Fact]
    public void PerNode_ValueInPlaceOfASection_IsRefused() => Assert.Equal(
        "Numa:Binding:Map = '0=1': must be a section with a key per node: nodes in order such as '0,2'",
        Assert.Single(FailuresOf(("Binding:Map", "0=1"))));

    [Theory]
    [InlineData(
        "Binding:Map:0",
        "7",
        "Custom",
        "Numa:Binding:Map:0 = '7': 7 cannot be used; nodes with memory that the plan may use are 0-1")]
    [InlineData("Binding:Map:5", "0", "Custom", "Numa:Binding:Map:5 = '0': node 5 is not in the plan; its nodes are 0-1")]
    [InlineData("Binding:Map:0", "0", "Saturate", "Numa:Binding:Map = '0': needs Policy Custom; Policy is Saturate")]
    [InlineData(
        "Binding:Weights:0", "3", "Local", "Numa:Binding:Weights = '0': needs Policy WeightedInterleave; Policy is Local")]
    [InlineData(
        "Binding:Mode",
        "None",
        "Saturate",
        "Numa:Binding:Policy = 'Saturate': needs bind mode Advisory or Strict: None binds no memory to a node")]
    [InlineData(
        "Binding:Nodes", "0", "Custom", "Numa:Binding:Policy = 'Custom': needs Map: which nodes each node's memory comes from")]
    [InlineData(
        "Transport:LoopsPerNode",
        "3",
        "Local",
        "Numa:Transport:LoopsPerNode = '3': must not be more than the CPUs of the largest node of the plan, 2")]
    public void Contradictions_AreReportedByKey(string key, string value, string policy, string expected) =>
        Assert.Equal(expected, Assert.Single(FailuresOf((key, value), ("Binding:Policy", policy))));

    [Fact]
    public void Code_WrongEntries_AreReportedLikeConfiguration()
    {
        var builder = NumaHost.CreateBuilder(("Binding:Policy", "Custom"));
        builder.AddNuma(static numa => numa.Configure(static options =>
        {
            options.Binding.Map[new(0)] = [];
            options.Binding.Weights[new(1)] = 0;
        }));
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>();

        var failures = Assert.Throws<NumaOptionsException>(() => options.Value).Failures;
        Assert.Contains("Numa:Binding:Weights:1 = '0': the key must be a node, the value an integer from 1 to 255", failures);
        Assert.Contains("Numa:Binding:Map:0 = '': the key must be a node, the value nodes in order such as '0,2'", failures);
    }

    [Fact]
    public void PathOf_EverySettingOfARequest_IsAKeyOfTheTable()
    {
        var keys = NumaSettings.All.Select(static setting => setting.Path).ToHashSet(StringComparer.Ordinal);

        Assert.All(typeof(NumaPlanRequest).GetProperties(), property =>
        {
            Assert.Contains(PlanRequests.PathOf(new NumaPlanProblem(property.Name, "", "")), keys);
            Assert.EndsWith(":3", PlanRequests.PathOf(new($"{property.Name}:3", "", "")), StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task Plan_OfAStart_IsTheOneThatTheSettingsWereCheckedWith()
    {
        using var host = NumaHost.Create(("Binding:Policy", "Custom"), ("Binding:Map:0", "1,0"));
        await host.StartAsync(TestContext.Current.CancellationToken);

        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        Assert.NotNull(options.Plan);
        Assert.Same(options.Plan, host.Services.GetRequiredService<NumaPlan>());
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    public static TheoryData<string, Action<NumaOptions>> ChangesByCode { get; } = new()
    {
        { "threads", static options => options.Scheduler.ThreadsPerNode = 1 },
        { "nodes", static options => options.Binding.Nodes = null },
        { "weight", static options => options.Binding.Weights[new(1)] = 9 },
        { "weights", static options => options.Binding.Weights.Remove(new(1)) },
        { "map", static options => options.Binding.Map[new(1)] = [new(1)] },
        { "order", static options => ((List<NumaNodeId>)options.Binding.Map[new(0)]).Reverse() },
    };

    [Theory]
    [MemberData(nameof(ChangesByCode))]
    public void Plan_OptionsChangedByCodeAfterTheCheck_IsOfTheChanged(string change, Action<NumaOptions> apply)
    {
        using var host = CreateChecked(custom: change is not ("weight" or "weights"), out var options);
        var before = (Request: options.Plan!.Request, Text: TextOf(options.Plan.Request));
        apply(options);
        var plan = host.Services.GetRequiredService<NumaPlan>();

        Assert.NotSame(options.Plan, plan);
        Assert.Equal(before.Text, TextOf(before.Request));
        Assert.NotEqual(before.Text, TextOf(plan.Request));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Plan_OptionsSetToTheSameByCode_IsTheChecked(bool custom)
    {
        using var host = CreateChecked(custom, out var options);
        options.Scheduler.ThreadsPerNode = 2;
        options.Binding.Nodes = CpuSet.FromIds(0, 1);
        if (custom)
        {
            options.Binding.Map[new(0)] = [new(1), new(0)];
        }

        Assert.Same(options.Plan, host.Services.GetRequiredService<NumaPlan>());
    }

    [Fact]
    public void Plan_OptionsChangedByCodeToAMisfit_ThrowsWhatIsWrong()
    {
        using var host = CreateChecked(custom: true, out var options);
        options.Binding.Nodes = CpuSet.FromIds(7);

        Assert.Contains(
            "Nodes = '7'", Assert.Throws<NumaException>(host.Services.GetRequiredService<NumaPlan>).Message,
            StringComparison.Ordinal);
    }

    // With two threads per node of nodes 0 and 1, and a map or weights.
    private static IHost CreateChecked(bool custom, out NumaOptions options)
    {
        var builder = NumaHost.CreateBuilder(
            ("Topology:Provider", SimulatedMachine.ProviderName), ("Scheduler:ThreadsPerNode", "2"), ("Binding:Nodes", "0-1"),
            ("Binding:Policy", custom ? "Custom" : "WeightedInterleave"), (custom ? "None" : "Binding:Weights:1", "3"));
        builder.AddNuma(numa => numa.AddMachine(NumaHost.TwoNodes()).Configure(each =>
        {
            if (custom)
            {
                each.Binding.Map[new(0)] = new List<NumaNodeId> { new(1), new(0) };
            }
        }));
        var host = builder.Build();
        options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        return host;
    }

    private static string TextOf(NumaPlanRequest request) =>
        $"{request} {string.Join(' ', request.Weights)} "
        + string.Join(' ', request.Map.Select(static pair => $"{pair.Key}:{string.Join(',', pair.Value)}"));

    private static NumaPlan PlanOf(params (string Key, string? Value)[] settings)
    {
        using var host = NumaHost.Create(settings);
        return host.Services.GetRequiredService<NumaPlan>();
    }

    private static string[] FailuresOf(params (string Key, string? Value)[] settings)
    {
        using var host = NumaHost.Create(settings);
        return [.. Assert.Throws<NumaOptionsException>(() =>
            host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures];
    }
}
