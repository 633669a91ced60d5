using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Options;
using NumaSharp.Playground.Web.Endpoints;

namespace NumaSharp.Playground.Web.Addresses;

internal static class WebAddressExtensions
{
    /// <summary>Gives Kestrel Urls, H2cUrl and HttpsUrl, or ends the start with what is wrong in them.</summary>
    public static WebAddressOptions AddWebAddresses(this WebApplicationBuilder builder)
    {
        var options = new WebAddressOptions();
        options.Read(builder.Configuration);
        var checks = new WebAddressOptionsValidator();
        builder.Services.AddSingleton<IValidateOptions<WebAddressOptions>>(checks);
        builder.Services.AddOptions<WebAddressOptions>()
            .Configure(options.CopyTo)
            .ValidateOnStart();
        if (checks.Validate(null, options).Failed)
        {
            return options; // The start reports it, together with what else is wrong.
        }

        if (options.RawUrl.Length > 0)
        {
            builder.Services.AddHostedService<RawServer>();
        }

        var all = options.All();
        builder.WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, string.Join(';', all));
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel => Configure(kestrel, options));
        return options;
    }

    private static void Configure(KestrelServerOptions kestrel, WebAddressOptions options)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.MaxRequestBodySize = null;
        kestrel.ConfigureHttpsDefaults(
            static https => https.ServerCertificate = DevelopmentCertificate.Create(TimeProvider.System));
        var h2cPosition = options.H2cUrl.Length > 0 ? options.All().Count : 0;
        var position = 0;
        kestrel.ConfigureEndpointDefaults(endpoint =>
        {
            // Called once per address, in their order. The position distinguishes them even when both ports are 0.
            if (++position == h2cPosition)
            {
                endpoint.Protocols = HttpProtocols.Http2;
            }
        });
    }
}
