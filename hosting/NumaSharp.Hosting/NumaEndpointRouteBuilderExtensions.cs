using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting;
using NumaSharp.Hosting.Page;

namespace Microsoft.AspNetCore.Builder;

/// <summary>The live page.</summary>
public static class NumaEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps the live page, its JSON (<c>state</c>) and its stream of events (<c>events</c>): what the machine is, what runs
    /// where, and what could not be had. Anybody who reaches the address sees it, unless
    /// <c>RequireAuthorization()</c> or another convention of the result says otherwise. With <c>Numa:Page:Enabled</c> set to
    /// <see langword="false"/> nothing is mapped.
    /// </summary>
    /// <param name="endpoints">Where to map it.</param>
    /// <param name="pattern">The page's address.</param>
    /// <returns>A builder for conventions of all its endpoints.</returns>
    /// <exception cref="InvalidOperationException"><c>AddNuma()</c> was not called.</exception>
    public static IEndpointConventionBuilder MapNuma(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/numa")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var services = endpoints.ServiceProvider;

        // To ask for it would make schedulers and pools, which is the start's to do.
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(MachineStateFeed)) != true)
        {
            throw new InvalidOperationException("MapNuma() shows what AddNuma() has made: call builder.AddNuma() first.");
        }

        var group = endpoints.MapGroup(pattern);
        if (IsEnabled(services))
        {
            PageEndpoints.MapTo(group);
        }

        return group;
    }

    private static bool IsEnabled(IServiceProvider services)
    {
        try
        {
            return services.GetRequiredService<IOptions<NumaOptions>>().Value.Page.Enabled;
        }
        catch (OptionsValidationException)
        {
            // The start, which comes to the same, says so together with what is wrong in the application's own settings.
            return false;
        }
    }
}
