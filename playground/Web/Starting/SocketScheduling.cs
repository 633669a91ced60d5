using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace NumaSharp.Playground.Web.Starting;

/// <summary>
/// <c>Sockets:Inline</c>: Kestrel's own sockets run the application where a read completes, for a baseline that is as fast
/// as they can be. It takes <c>DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS=1</c> in the environment, too.
/// </summary>
internal static class SocketScheduling
{
    private const string Key = "Sockets:Inline";

    public static void AddSocketScheduling(this WebApplicationBuilder builder)
    {
        var value = builder.Configuration[Key] ?? "false";
        var valid = bool.TryParse(value, out var inline);
        builder.Services.AddOptions<SocketTransportOptions>()
            .Configure(options => options.UnsafePreferInlineScheduling = inline)
            .Validate(_ => valid, $"{Key}: '{value}' is not allowed; allowed is true or false.")
            .ValidateOnStart();
    }
}
