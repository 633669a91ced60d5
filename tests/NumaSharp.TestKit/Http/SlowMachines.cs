using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace NumaSharp.TestKit;

/// <summary>
/// Limits in time that servers have by default. On a slow machine, a test that is not about them would meet them.
/// </summary>
public static class SlowMachines
{
    // Infinite for any test. Kestrel adds it to the time of now, which more would overflow.
    private static readonly TimeSpan s_endless = TimeSpan.FromDays(1);

    /// <summary>
    /// Kestrel ends no connection because its client is slow, and a stop waits for requests as long as any test.
    /// </summary>
    public static void AllowSlowClients(this WebApplicationBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = Wait.Limit);
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.AllowSlowClients());
    }

    /// <summary>Kestrel ends no connection because its client is slow. Replaces the defaults of HTTPS.</summary>
    public static void AllowSlowClients(this KestrelServerOptions kestrel)
    {
        ArgumentNullException.ThrowIfNull(kestrel);
        kestrel.Limits.MinRequestBodyDataRate = null;
        kestrel.Limits.MinResponseDataRate = null;
        kestrel.Limits.RequestHeadersTimeout = s_endless;
        kestrel.Limits.KeepAliveTimeout = s_endless;
        kestrel.ConfigureHttpsDefaults(static https => https.HandshakeTimeout = s_endless);
    }
}
