using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Tests;

/// <summary>The assembly by <c>Numa:Plugins</c> alone, without a line of code.</summary>
public sealed class WindowsPluginTests : IDisposable
{
    private static readonly string s_own = typeof(WindowsTopologyProvider).Assembly.Location;

    private readonly TemporaryFolder _root = new();

    public WindowsPluginTests()
    {
        Directory.CreateDirectory(_root.PathOf("plugins"));
        File.Copy(s_own, _root.PathOf(Path.Combine("plugins", Path.GetFileName(s_own))));
    }

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Host_SelectedOffWindows_EndsTheStartWithTheReason()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        using var host = Create(("Topology:Provider", "Windows"));
        var exception = await Assert.ThrowsAnyAsync<OptionsValidationException>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        var failure = Assert.Single(exception.Failures);
        Assert.StartsWith("Numa:Topology:Provider = 'Windows'", failure, StringComparison.Ordinal);
        Assert.Contains("this system is not Windows", failure, StringComparison.Ordinal);
    }

    [Fact]
    public void Host_NotSelectedOffWindows_ChangesNothing()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        using var host = Create();
        Assert.NotEqual("Windows", host.Services.GetRequiredService<NumaTopology>().Source);
    }

    [Fact]
    public void Host_NamesThatAreMisspelled_ListThoseOfThePlugin()
    {
        using var host = Create(("Memory:Provider", "Window"));
        var failure = Assert.Single(Assert.ThrowsAny<OptionsValidationException>(
            () => host.Services.GetRequiredService<NumaPlatform>()).Failures);
        Assert.StartsWith("Numa:Memory:Provider = 'Window': must be Auto", failure, StringComparison.Ordinal);
        Assert.EndsWith(", Windows; did you mean 'Windows'?", failure, StringComparison.Ordinal);
    }

    private IHost Create(params (string Key, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ContentRootPath = _root.Path });
        builder.Configuration.AddInMemoryCollection(settings
            .Prepend(("Plugins:0:Assembly", Path.Combine("plugins", Path.GetFileName(s_own))))
            .Select(static setting => KeyValuePair.Create<string, string?>("Numa:" + setting.Item1, setting.Item2)));
        builder.AddNuma();
        return builder.Build();
    }
}
