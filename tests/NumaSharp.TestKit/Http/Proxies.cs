using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace NumaSharp.TestKit;

/// <summary>
/// The proxy that a machine's variables name is not asked for what tests serve on the loopback interface, neither by this process
/// nor by the programs that it starts.
/// </summary>
internal static class Proxies
{
    private const string Loopback = "127.0.0.1,localhost,::1,[::1]";

    private static readonly string[] s_proxies =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

    // Programs read one or the other.
    private static readonly string[] s_exceptions = ["NO_PROXY", "no_proxy"];

    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "Before the first request, whatever sends it.")]
    internal static void ExceptLoopback()
    {
        if (Array.TrueForAll(s_proxies, static name => ValueOf(name) is null))
        {
            return;
        }

        var already = s_exceptions.Select(ValueOf).FirstOrDefault(static value => value is not null);
        if (already != "*")
        {
            var all = already is null ? Loopback : $"{already},{Loopback}";
            Array.ForEach(s_exceptions, name => Environment.SetEnvironmentVariable(name, all));
        }
    }

    private static string? ValueOf(string name) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
