using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Hosting.Internal;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Plugins.Windows;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Plan;

/// <summary>
/// What <c>AddNuma()</c> makes of settings and a machine, by <c>AddNuma()</c> itself: its services without a host, so that
/// nothing is pinned, bound or served.
/// </summary>
/// <param name="Options">The settings, validated.</param>
/// <param name="Plan">The plan.</param>
/// <param name="Fallbacks">What is missing or refused, such as a file of the machine that cannot be parsed.</param>
/// <param name="UnknownKeys">Keys that mean nothing.</param>
internal sealed record PlannedHost(
    NumaOptions Options,
    NumaPlan Plan,
    IReadOnlyList<NumaFallback> Fallbacks,
    IReadOnlyList<NumaUnknownKey> UnknownKeys)
{
    // That the roots are not this machine's is what --root asked for.
    private const string RootFeature = "topology.root";
    private const string ClaimsKey = "Numa:Binding:Claims";

    /// <exception cref="ToolException">The settings are wrong, or do not fit the machine; one line for each error.</exception>
    public static PlannedHost Create(ApplicationSettings settings, MachineSource machine)
    {
        if (!machine.IsLive)
        {
            // Here its errors name a file; from below they would name a setting that nobody wrote.
            _ = machine.ReadTopology();
            settings.Builder.AddInMemoryCollection(new Dictionary<string, string?>
            {
                ["Numa:Topology:SysfsRoot"] = machine.SysfsRoot,
                ["Numa:Topology:ProcRoot"] = machine.ProcRoot,
            });
        }

        var configuration = settings.Builder.Build();
        if (Path.IsPathFullyQualified(configuration[ClaimsKey] ?? ""))
        {
            // Whoever looks at a plan takes no node from those who work.
            configuration[ClaimsKey] = null;
        }

        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(configuration);
        services.AddSingleton<IHostEnvironment>(new HostingEnvironment { ContentRootPath = settings.ContentRoot });
        services.AddNuma(static numa =>
        {
            // As an application on Windows would; nothing of it is read elsewhere.
            if (OperatingSystem.IsWindows())
            {
                numa.AddWindows();
            }
        });
        using var provider = services.BuildServiceProvider();
        try
        {
            return new PlannedHost(
                provider.GetRequiredService<IOptions<NumaOptions>>().Value,
                provider.GetRequiredService<NumaPlan>(),
                [
                    .. provider.GetRequiredService<NumaFallbacks>().Current
                        .Where(fallback => machine.IsLive || fallback.Feature != RootFeature),
                ],
                provider.FindUnknownNumaKeys());
        }
        catch (OptionsValidationException exception)
        {
            throw new ToolException(exception.Failures, exception);
        }
    }

    /// <summary>What somebody should know who reads the plan, one line each.</summary>
    public IEnumerable<string> Notes() =>
    [
        .. Plan.Notes,
        .. Fallbacks.Select(static fallback => $"{fallback.Feature}: {fallback.Message}"),
        .. UnknownKeys.Select(static unknown => unknown.ToString()),
    ];

    /// <summary>Who serves connections, on the machine that the plan is for.</summary>
    public string Transport => Options is { Enabled: true, Transport.Enabled: true }
        && Plan.Topology.Source != WindowsTopologyProvider.ProviderName
        ? $"epoll, {Options.Transport.Dispatch}"
        : "Kestrel's own";
}
