namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Takes out of a server's environment what would make the sides differ from their switches.</summary>
internal static class ServerEnvironment
{
    private static readonly string[] s_prefixes =
        ["Numa__", "ASPNETCORE_", "Kestrel__", "Logging__", "OTEL_", "Urls", "H2cUrl", "HttpsUrl", "RawUrl", "Sockets__"];

    private static readonly string[] s_names =
    [
        "DOTNET_URLS", "DOTNET_ENVIRONMENT", "DOTNET_HTTP_PORTS", "DOTNET_HTTPS_PORTS",
        "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS",
    ];

    public static void Clean(IDictionary<string, string?> environment)
    {
        foreach (var name in environment.Keys.ToArray())
        {
            if (s_names.Contains(name, StringComparer.OrdinalIgnoreCase)
                || s_prefixes.Any(prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
            {
                environment.Remove(name);
            }
        }
    }
}
