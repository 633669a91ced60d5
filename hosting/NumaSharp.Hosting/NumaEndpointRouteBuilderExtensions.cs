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
    /// Maps the live page, its JSON (<c>state</c>) and its event stream (<c>events</c>): the machine, the placement of threads
    /// and memory, and the fallbacks. Every client that can reach the address sees it, unless <c>RequireAuthorization()</c> or
    /// another convention on the result restricts it. With <c>Numa:Page:Enabled</c> set to <see langword="false"/> nothing is
    /// mapped.
    /// </summary>
    /// <param name="endpoints">The route builder.</param>
    /// <param name="pattern">The page's address.</param>
    /// <returns>A builder for conventions of all its endpoints.</returns>
    /// <exception cref="InvalidOperationException"><c>AddNuma()</c> was not called.</exception>
    public static IEndpointConventionBuilder MapNuma(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/numa")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var services = endpoints.ServiceProvider;

        // Resolving it would create schedulers and pools, which is left to the start.
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(PageDataFeed)) != true)
        {
            throw new InvalidOperationException("MapNuma() needs the services of AddNuma(): call builder.AddNuma() first.");
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
            // The start finds the same failure, and reports it together with errors in the application's own settings.
            return false;
        }
    }
}
