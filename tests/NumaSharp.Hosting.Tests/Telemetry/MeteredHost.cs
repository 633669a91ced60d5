using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>A host that runs on a machine of a test, and what its meter says, also when the host is gone.</summary>
internal sealed class MeteredHost : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly IMeterFactory _meters;
    private bool _isStopped;

    private MeteredHost(IHost host)
    {
        _host = host;
        _meters = host.Services.GetRequiredService<IMeterFactory>();
    }

    public IServiceProvider Services => _host.Services;

    public static async Task<MeteredHost> StartAsync(NumaPlatform platform, params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder(settings);
        builder.AddNuma(numa => numa.UsePlatform(platform));
        var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        return new MeteredHost(host);
    }

    public MetricReading Read() => MetricReading.Take(_meters);

    public async Task StopAsync()
    {
        if (!_isStopped)
        {
            _isStopped = true;
            await _host.StopAsync(TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _host.Dispose();
    }
}
