using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Live;

/// <summary>The settings that take effect while the host runs, and how to apply them.</summary>
internal static class LiveSettings
{
    private static readonly Dictionary<string, Action<IServiceProvider, NumaOptions>> s_all =
        new(StringComparer.OrdinalIgnoreCase)
        {
            ["Topology:PollInterval"] = static (services, options) =>
                services.GetRequiredService<MachineFollower>().SetInterval(options.Topology.PollInterval),
            ["Memory:TrimAfter"] = SetTrimming,
            ["Memory:KeepPerNode"] = SetTrimming,
            ["Transport:StallThreshold"] = static (services, options) =>
            {
                services.GetRequiredService<EpollTransportFactory>().SetStallThreshold(options.Transport.StallThreshold);
                services.GetRequiredService<NumaUdpSocketFactory>().SetStallThreshold(options.Transport.StallThreshold);
            },
            ["Telemetry:Enabled"] = static (services, options) =>
                services.GetRequiredService<NumaMetrics>().SetPublished(options.Telemetry.Enabled),

            // Read at each use, so there is nothing to apply.
            ["Telemetry:Interval"] = static (_, _) => { },
            ["Page:Interval"] = static (_, _) => { },
        };

    /// <summary>The keys, below the section.</summary>
    public static IReadOnlyCollection<string> Keys => s_all.Keys;

    /// <summary>Applies the changed keys.</summary>
    public static void Apply(IEnumerable<string> keys, IServiceProvider services, NumaOptions options)
    {
        foreach (var apply in keys.Select(static key => s_all[key]).Distinct())
        {
            apply(services, options);
        }
    }

    private static void SetTrimming(IServiceProvider services, NumaOptions options)
    {
        var (after, keep) = (options.Memory.TrimAfter, options.Memory.KeepPerNode);
        services.GetRequiredService<HostPools>().SetTrimming(after, keep);
        services.GetRequiredService<ResolvedAllocator>().Value?.SetTrimming(after, keep);
    }
}

/// <summary>
/// The current options: those of the start until the configuration changes. For settings that may change at run time, and for
/// objects created after the start.
/// </summary>
internal sealed class LiveOptions(IOptions<NumaOptions> start)
{
    private NumaOptions? _changed;

    public NumaOptions Value
    {
        get => Volatile.Read(ref _changed) ?? start.Value;
        set => Volatile.Write(ref _changed, value);
    }
}
