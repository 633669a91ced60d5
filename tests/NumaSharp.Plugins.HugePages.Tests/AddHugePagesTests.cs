using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting;

namespace NumaSharp.Plugins.HugePages.Tests;

[Collection(nameof(HugePageCollection))]
public sealed class AddHugePagesTests
{
    public AddHugePagesTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "huge pages of this plugin are Linux's");

    [Theory]
    [InlineData("Memory:HugePages", "2mib", "HugePages")]
    [InlineData("Memory:HugePages", "1GiB", "HugePages1GiB")]
    [InlineData("Memory:Provider", "hugepages", "HugePages")]
    public void Memory_SelectedByEitherKey_IsThatProvider(string key, string value, string name)
    {
        using var host = Create(static numa => numa.AddHugePages().AddHugePages(), (key, value));
        Assert.Equal(name, host.Services.GetRequiredService<NumaPlatform>().Memory.Name);
    }

    [Fact]
    public async Task Host_OnHugePages_ServesPoolsFromThem()
    {
        using var pool = new HugePagePool(4);
        using var host = Create(static numa => numa.AddHugePages(), ("Memory:HugePages", "2MiB"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.True(HugePagePool.Free < 4);
        Assert.DoesNotContain(FeaturesOf(host), static feature => feature == "memory.hugepages");
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_NoHugePages_StartsAndSaysSo()
    {
        using var pool = new HugePagePool(0);
        using var host = Create(static numa => numa.AddHugePages(), ("Memory:HugePages", "2MiB"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Contains("memory.hugepages", FeaturesOf(host));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public unsafe void Allocator_OnHugePages_TakesThemAndGivesThemBackAtTheEnd()
    {
        using var pool = new HugePagePool(4);
        using (var host = Create(static numa => numa.AddHugePages(), ("Memory:HugePages", "2MiB")))
        {
            var allocator = host.Services.GetRequiredService<NumaAllocator>();
            var block = allocator.Allocate(100);
            new Span<byte>(block, 100).Fill(1);
            Assert.Equal(3, HugePagePool.Free);
            allocator.Free(block);
            Assert.Empty(FeaturesOf(host));
        }

        Assert.Equal(4, HugePagePool.Free);
    }

    [Fact]
    public unsafe void Allocator_OnLargerPages_StaysOnOrdinaryOnesAndSaysSo()
    {
        using var host = Create(static numa => numa.AddHugePages(), ("Memory:HugePages", "1GiB"));
        var allocator = host.Services.GetRequiredService<NumaAllocator>();
        allocator.Free(allocator.Allocate(100));
        Assert.Contains("memory.pages", FeaturesOf(host));
    }

    [Theory]
    [InlineData("2MiB", "Linux", "selects the memory provider HugePages, but Memory:Provider is 'Linux'")]
    [InlineData("1GiB", "HugePages", "selects the memory provider HugePages1GiB, but Memory:Provider is 'HugePages'")]
    [InlineData("Transparent", "HugePages", "contradicts Memory:Provider 'HugePages', whose pages are huge anyway")]
    public void HugePages_InConflictWithProvider_IsAnError(string pages, string provider, string reason) => Assert.Equal(
        $"Numa:Memory:HugePages = '{pages}': {reason}; set one of them",
        FailureOf(static numa => numa.AddHugePages(), ("Memory:HugePages", pages), ("Memory:Provider", provider)));

    [Fact]
    public void HugePages_PluginIsNotThere_SaysHowToGetIt()
    {
        var failure = FailureOf(static _ => { }, ("Memory:HugePages", "2MiB"));
        Assert.StartsWith(
            "Numa:Memory:HugePages = '2MiB': needs the memory provider HugePages, which is not registered: ",
            failure,
            StringComparison.Ordinal);
        Assert.Contains("AddHugePages()", failure, StringComparison.Ordinal);
    }

    [Fact]
    public void HugePages_NotASize_IsAnError() => Assert.Equal(
        "Numa:Memory:HugePages = '4MiB': must be one of None, Transparent, 2MiB, 1GiB",
        FailureOf(static _ => { }, ("Memory:HugePages", "4MiB")));

    [Fact]
    public async Task HugePages_Transparent_AreAskedFor()
    {
        using var host = Create(static _ => { }, ("Memory:HugePages", "Transparent"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        using var block = host.Services.GetRequiredService<NumaMemoryPools>()[0].Rent();
        var asked = File.ReadLines("/proc/self/smaps")
            .Any(static line => line.StartsWith("VmFlags", StringComparison.Ordinal) && line.Split(' ').Contains("hg"));
        Assert.True(asked || FeaturesOf(host).Contains("memory.hugepages"), "Neither asked for nor said to be impossible.");
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static IEnumerable<string> FeaturesOf(IHost host) =>
        host.Services.GetRequiredService<NumaFallbacks>().Current.Select(static fallback => fallback.Feature);

    private static string FailureOf(Action<INumaBuilder> configure, params (string Key, string Value)[] settings)
    {
        using var host = Create(configure, settings);
        return Assert.Single(Assert.ThrowsAny<OptionsValidationException>(
            () => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures);
    }

    private static IHost Create(Action<INumaBuilder> configure, params (string Key, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(settings.Select(static setting =>
            KeyValuePair.Create<string, string?>("Numa:" + setting.Key, setting.Value)));
        builder.AddNuma(configure);
        return builder.Build();
    }
}
