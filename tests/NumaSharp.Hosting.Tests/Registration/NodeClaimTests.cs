using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Registration;

/// <summary>Copies of an application that agree on which copy has which node; each host here is a copy.</summary>
public sealed class NodeClaimTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Claims_CopyPerNode_EachHasItsOwn()
    {
        using var first = Create();
        using var second = Create();

        Assert.Equal([0], NodesOf(first));
        Assert.Equal([1], NodesOf(second));
        Assert.Equal(CpuSet.FromIds(2, 3), PlanOf(second).Cpus);
        Assert.Empty(FallbacksOf(second));
    }

    [Fact]
    public void Claims_CopyEndsAndComesBack_TakesTheNodeThatIsFree()
    {
        using var first = Create();
        _ = PlanOf(first);
        using (var second = Create())
        {
            Assert.Equal([1], NodesOf(second));
        }

        using var third = Create();
        Assert.Equal([1], NodesOf(third));
    }

    [Fact]
    public void Claims_MoreCopiesThanNodes_UsesAllAndSaysSo()
    {
        using var first = Create();
        using var second = Create();
        using var third = Create();
        _ = (PlanOf(first), PlanOf(second));

        Assert.Equal([0, 1], NodesOf(third));
        var fallback = Assert.Single(FallbacksOf(third));
        Assert.Equal("binding.claim", fallback.Feature);
        Assert.Contains("other processes have claimed all nodes, 0-1", fallback.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Claims_FencedToNodes_ClaimsOfThoseOnly()
    {
        using var first = Create(("Binding:Nodes", "1"));
        using var second = Create(("Binding:Nodes", "1"));

        Assert.Equal([1], NodesOf(first));
        Assert.Equal([1], NodesOf(second));
        Assert.Single(FallbacksOf(second));
    }

    [Fact]
    public void Claims_FolderCannotBeMade_UsesAllAndSaysWhy()
    {
        var file = _folder.PathOf("file");
        File.WriteAllText(file, "");
        using var host = NumaHost.Create(("Binding:Claims", Path.Combine(file, "claims")));

        Assert.Equal([0, 1], NodesOf(host));
        Assert.Contains("no node can be claimed", Assert.Single(FallbacksOf(host)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Claims_FileCannotBeOpened_UsesAllAndSaysWhy()
    {
        Directory.CreateDirectory(Path.Combine(_folder.PathOf("claims"), "node0"));
        using var host = Create();

        Assert.Equal([0, 1], NodesOf(host));
        Assert.Contains("no node can be claimed", Assert.Single(FallbacksOf(host)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Claims_NumaIsDisabled_ClaimsNothing()
    {
        using var host = Create(("Enabled", "false"));
        _ = PlanOf(host);

        Assert.False(Directory.Exists(_folder.PathOf("claims")));
    }

    [Fact]
    public void Claims_OtherSettingsNeedMoreNodes_UsesAllAndLeavesTheNodeToOthers()
    {
        using var first = Create(("Binding:Policy", "Custom"), ("Binding:Map:0", "1"), ("Binding:Map:1", "0"));
        using var second = Create();

        Assert.Equal([0, 1], NodesOf(first));
        Assert.Contains("need more than one node", Assert.Single(FallbacksOf(first)).Message, StringComparison.Ordinal);
        Assert.Equal([0], NodesOf(second));
    }

    [Fact]
    public void Claims_File_NamesTheProcess()
    {
        using (var host = Create())
        {
            _ = PlanOf(host);
        }

        Assert.Equal(
            string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{Environment.ProcessId}\n"),
            File.ReadAllText(Path.Combine(_folder.PathOf("claims"), "node0")));
    }

    private IHost Create(params (string Key, string? Value)[] settings) =>
        NumaHost.Create([("Binding:Claims", _folder.PathOf("claims")), .. settings]);

    private static NumaPlan PlanOf(IHost host) => host.Services.GetRequiredService<NumaPlan>();

    private static int[] NodesOf(IHost host) =>
        [.. PlanOf(host).Nodes.Select(static node => node.NodeId.Value)];

    private static IReadOnlyList<NumaFallback> FallbacksOf(IHost host) =>
        host.Services.GetRequiredService<NumaFallbacks>().Current;
}
