using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>How a plugin's services end with the host.</summary>
public sealed class PluginEndTests
{
    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void End_ServiceThatIsDisposedAsynchronously_IsDisposed()
    {
        var ended = new EndsAsynchronously();
        End(new ServiceCollection().AddSingleton(_ => ended), typeof(EndsAsynchronously));
        Assert.True(ended.HasEnded);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void End_ServiceThrows_IsReportedAndNotThrown()
    {
        End(new ServiceCollection().AddSingleton<EndsBadly>(), typeof(EndsBadly));
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal("plugins.end", fallback.Feature);
        Assert.Contains("InvalidTimeZoneException: broken plugin", fallback.Message, StringComparison.Ordinal);
    }

    private void End(IServiceCollection services, Type made)
    {
        var container = services.BuildServiceProvider();
        container.GetRequiredService(made);
        new PluginServices(new NumaSection(null), _fallbacks, NullLoggerFactory.Instance, null).End(container);
    }

    private sealed class EndsAsynchronously : IAsyncDisposable
    {
        public bool HasEnded { get; private set; }

        public ValueTask DisposeAsync()
        {
            HasEnded = true;
            return ValueTask.CompletedTask;
        }
    }

    private sealed class EndsBadly : IDisposable
    {
        public void Dispose() => throw new InvalidTimeZoneException("broken plugin");
    }
}
