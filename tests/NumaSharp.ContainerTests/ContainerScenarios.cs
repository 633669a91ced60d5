using System.Security.Cryptography;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.ContainerTests;

/// <summary>What an application meets in a container, each with a real one of the playground's web app.</summary>
[Trait("tier", "deep")]
public sealed class ContainerScenarios(WebImages images) : IClassFixture<WebImages>
{
    private const int Degradation = 701;
    private const int UserOfTheImage = 1654;

    // A node with CPUs and memory: one on most machines that test.
    private static readonly NumaNode s_node =
        NumaTopology.Instance.Nodes.Last(static node => node is { Cpus.IsEmpty: false, IsMemoryAllowed: true });

    private static readonly ContainerSettings s_onNode = new() { Cpus = $"{s_node.Cpus}", Mems = $"{s_node.NodeId}" };

    [Fact]
    public async Task Cpuset_OneCpuAndItsNode_PlanAndThreadsHaveThem()
    {
        var cpu = s_node.Cpus.Last;
        await using var web = await OpenAsync(new() { Cpus = $"{cpu}", Mems = $"{s_node.NodeId}" });
        var state = await web.ReadStateAsync();
        Assert.Equal($"{cpu}", state.GetProperty("plan").GetProperty("allowedCpus").GetString());
        var placement = Assert.Single(PlacementsIn(state));
        Assert.Equal($"{s_node.NodeId}", placement.GetProperty("applied").GetProperty("memoryNodes").GetString());
        Assert.Single(state.GetProperty("loops").EnumerateArray());
        var masks = ThreadMasks.OfNodes(await web.Container.GetProcessIdAsync());
        Assert.NotEmpty(masks);
        Assert.All(masks, mask => Assert.Equal(CpuSet.FromIds(cpu), mask));
        using var where = JsonDocument.Parse(await web.GetAsync("/where"));
        Assert.Equal(cpu, where.RootElement.GetProperty("cpu").GetInt32());
    }

    [Fact]
    public async Task DefaultSeccomp_MbindIsRefused_SaysSoOnceAndServes()
    {
        await using var web = await OpenAsync(s_onNode);
        await AssertServesAsync(web);
        Assert.Equal("Degraded", await web.GetAsync("/health"));
        var state = await web.ReadStateAsync();
        var fallback = Assert.Single(state.GetProperty("fallbacks").EnumerateArray());
        Assert.Equal("memory.bind", fallback.GetProperty("feature").GetString());
        Assert.Contains("EPERM", fallback.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Equal("first touch", BindingIn(state));
        await web.AssertLoggedOnceAsync(Degradation);
        // Neither do the probes that have asked meanwhile.
        Assert.Equal("Degraded", await web.GetAsync("/health"));
        await web.AssertInLogOnceAsync("EPERM");
    }

    [Fact]
    public async Task SysNice_OrdinaryUser_MemoryIsBound()
    {
        await using var web = await OpenAsync(s_onNode with { MaySetNice = true });
        await AssertServesAsync(web);
        Assert.Equal("Healthy", await web.GetAsync("/health"));
        Assert.Equal("bound", BindingIn(await web.ReadStateAsync()));
        Assert.Equal(0, await web.CountEventsAsync(Degradation));
        Assert.Equal(UserOfTheImage, await UserOfAsync(web));
    }

    [Fact]
    public async Task StrictMode_MbindIsRefused_EndsTheStartAndNamesTheKey()
    {
        await using var container = await StartAsync(s_onNode with { Arguments = ["--Numa:Binding:Mode=Strict"] });
        Assert.Equal(1, await container.WaitForExitAsync());
        var log = await container.ReadLogAsync();
        Assert.Contains("Numa:Binding:Mode = 'Strict'", log, StringComparison.Ordinal);
        Assert.Contains("EPERM", log, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ReadOnlyRoot_OfEachImage_Serves(bool isNativeAot)
    {
        await using var web = await OpenAsync(s_onNode with { IsNativeAot = isNativeAot, IsReadOnly = true });
        await AssertServesAsync(web);
        Assert.Equal(UserOfTheImage, await UserOfAsync(web));
        await web.AssertLoggedOnceAsync(Degradation);
    }

    [Fact]
    public async Task User_AnyNumber_Serves()
    {
        await using var web = await OpenAsync(s_onNode with { User = "54321:54321", IsReadOnly = true });
        await AssertServesAsync(web);
        Assert.Equal(54321, await UserOfAsync(web));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Image_OfEachKind_HasNoShellAndStopsWhenAsked(bool isNativeAot)
    {
        await using var web = await OpenAsync(s_onNode with { IsNativeAot = isNativeAot });
        foreach (var program in (string[])["/bin/sh", "/bin/bash", "/bin/busybox", "/usr/bin/env", "/usr/bin/apt"])
        {
            Assert.False(await web.Container.TryRunAsync(program), program);
        }

        await web.Container.StopAsync();
        Assert.Equal(0, await web.Container.WaitForExitAsync());
    }

    [Fact]
    public async Task MemoryLimit_UnderLoad_IsKept()
    {
        await using var web = await OpenAsync(s_onNode with { MemoryBytes = 160 << 20 });
        var body = RandomNumberGenerator.GetBytes(1 << 20);
        for (var round = 0; round < 20; round++)
        {
            var answers = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => web.EchoAsync(body)));
            Assert.All(answers, answer => Assert.True(body.AsSpan().SequenceEqual(answer)));
        }

        await web.Container.StopAsync();
        Assert.Equal(0, await web.Container.WaitForExitAsync());
    }

    [Fact]
    public async Task MemoryLimit_PoolsTakeMore_EndsTheStartAndNamesTheKey()
    {
        await using var container = await StartAsync(
            s_onNode with { MemoryBytes = 160 << 20, Arguments = ["--Numa:Memory:PoolSizePerNode=192MiB"] });
        Assert.Equal(1, await container.WaitForExitAsync());
        Assert.Contains(
            "Numa:Memory:PoolSizePerNode = '192MiB' (command line): must not be more than the 160MiB that the process may use",
            await container.ReadLogAsync(),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cpuset_ChangesUnderLoad_ThreadsFollowAndEveryRequestIsAnswered()
    {
        int[] cpus = [.. s_node.Cpus.Take(2)];
        Assert.SkipUnless(cpus.Length == 2, "This needs two CPUs of a node.");
        var (both, first, second) = (CpuSet.FromIds(cpus), CpuSet.FromIds(cpus[0]), CpuSet.FromIds(cpus[1]));
        await using var web = await OpenAsync(
            s_onNode with { Cpus = $"{both}", Arguments = ["--Numa:Topology:PollInterval=20ms"] });
        var processId = await web.Container.GetProcessIdAsync();
        using var load = new RequestLoad(new Uri(web.Address, "/ping"), "pong");
        for (var round = 1; round <= 3; round++)
        {
            load.WaitForAnswers(100);
            await web.Container.SetCpusAsync($"{second}");
            await web.WaitForLogAsync($"The machine has changed: CPUs {first} gone; ", round);
            ThreadMasks.WaitFor(processId, second);
            load.WaitForAnswers(100);
            await web.Container.SetCpusAsync($"{both}");
            await web.WaitForLogAsync($"The machine has changed: CPUs {first} new; ", round);
            ThreadMasks.WaitFor(processId, both);
        }

        load.WaitForAnswers(100);
        await load.StopAsync();
    }

    // Or skips the test with the reason why there can be none.
    private async Task<TestContainer> StartAsync(ContainerSettings settings) =>
        await TestContainer.StartAsync(await images.GetAsync(settings.IsNativeAot), settings);

    private async Task<WebContainer> OpenAsync(ContainerSettings settings) =>
        await WebContainer.OpenAsync(await StartAsync(settings));

    private static async Task AssertServesAsync(WebContainer web)
    {
        Assert.Equal("pong", await web.GetAsync("/ping"));
        var body = RandomNumberGenerator.GetBytes(1 << 20);
        Assert.Equal(body, await web.EchoAsync(body));
        Assert.Contains("<title>NUMA</title>", await web.GetAsync("/numa"), StringComparison.Ordinal);
        Assert.Equal("Healthy", await web.GetAsync("/alive"));
    }

    private static JsonElement[] PlacementsIn(JsonElement state) =>
    [
        .. state.GetProperty("nodes").EnumerateArray()
            .Select(static node => node.GetProperty("placement"))
            .Where(static placement => placement.ValueKind == JsonValueKind.Object),
    ];

    private static string? BindingIn(JsonElement state) =>
        Assert.Single(PlacementsIn(state)).GetProperty("applied").GetProperty("binding").GetString();

    // "Uid:" has the real one first (proc_pid_status(5)).
    private static async Task<int> UserOfAsync(WebContainer web)
    {
        var lines = await File.ReadAllLinesAsync($"/proc/{await web.Container.GetProcessIdAsync()}/status");
        var user = lines.Single(static line => line.StartsWith("Uid:", StringComparison.Ordinal));
        return int.Parse(user.Split('\t')[1], System.Globalization.CultureInfo.InvariantCulture);
    }
}
