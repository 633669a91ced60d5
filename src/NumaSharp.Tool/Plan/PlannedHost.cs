using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Hosting.Internal;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Plugins.Windows;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Plan;

/// <summary>
/// The result of <c>AddNuma()</c> for settings and a machine, using its services without a host, so that nothing is pinned, bound
/// or served.
/// </summary>
/// <param name="Options">The settings, validated.</param>
/// <param name="Plan">The plan.</param>
/// <param name="Fallbacks">What is missing or refused, such as a file of the machine that cannot be parsed.</param>
/// <param name="UnknownKeys">Keys without a meaning.</param>
internal sealed record PlannedHost(
    NumaOptions Options,
    NumaPlan Plan,
    IReadOnlyList<NumaFallback> Fallbacks,
    IReadOnlyList<NumaUnknownKey> UnknownKeys)
{
    private const string ClaimsKey = "Numa:Binding:Claims";

    /// <summary>The transport that serves connections, on the plan's machine.</summary>
    public string Transport => Options is { Enabled: true, Transport.Enabled: true }
        && Plan.Topology.Source != WindowsTopologyProvider.ProviderName
        ? $"epoll, {Options.Transport.Dispatch}"
        : "Kestrel's own";

    /// <exception cref="ToolException">The settings are wrong, or do not fit the machine; one line per error.</exception>
    public static PlannedHost Create(ApplicationSettings settings, MachineSource machine)
    {
        if (!machine.IsLive)
        {
            // Read here, errors name a file; from below they would name a setting that is not in the user's settings.
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
            // Showing a plan must not claim nodes that running processes need.
            configuration[ClaimsKey] = null;
        }

        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(configuration);
        services.AddSingleton<IHostEnvironment>(new HostingEnvironment { ContentRootPath = settings.ContentRoot });
        services.AddNuma(static numa =>
        {
            // As an application on Windows would; not used elsewhere.
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
                    // With --root, roots other than this machine's are what was asked for, so they are not reported.
                    .. provider.GetRequiredService<NumaFallbacks>().Current
                        .Where(fallback => machine.IsLive || fallback.Feature != FallbackCatalog.TopologyRoot.Id),
                ],
                provider.FindUnknownNumaKeys());
        }
        catch (OptionsValidationException exception)
        {
            throw new ToolException(exception.Failures, exception);
        }
    }

    /// <summary>Notes for the reader of the plan, one line each.</summary>
    public IEnumerable<string> Notes() =>
    [
        .. Plan.Notes,
        .. Fallbacks.Select(static fallback => fallback.ToString()),
        .. UnknownKeys.Select(static unknown => unknown.ToString()),
    ];
}
