using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Web.Addresses;

/// <summary>One address that the configuration asks for, checked more strictly than Kestrel does.</summary>
internal static class WebAddress
{
    /// <summary>
    /// Kestrel listens on every interface when it cannot make sense of the host part, for example in http://127.0.0.1:50x0:
    /// here such an address is an error.
    /// </summary>
    public static bool IsValid(string address, string? scheme)
    {
        BindingAddress parsed;
        try
        {
            parsed = BindingAddress.Parse(address);
        }
        catch (FormatException)
        {
            return false;
        }

        return (scheme is null ? parsed.Scheme is "http" or "https" : parsed.Scheme == scheme)
            && parsed.PathBase.Length == 0
            && (parsed.IsUnixPipe || (IsHost(parsed.Host) && parsed.Port is >= 0 and <= IPEndPoint.MaxPort));
    }

    /// <summary>Whether two valid addresses would bind the same port.</summary>
    public static bool Collide(string left, string right)
    {
        var (first, second) = (BindingAddress.Parse(left), BindingAddress.Parse(right));
        return first.Port == second.Port
            && (first.Port != 0 || first.IsUnixPipe)
            && string.Equals(first.Host, second.Host, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Where a transport binds a valid address. As with Kestrel any name but localhost is every interface.</summary>
    public static EndPoint ToEndPoint(string address)
    {
        var parsed = BindingAddress.Parse(address);
        if (parsed.IsUnixPipe)
        {
            return new UnixDomainSocketEndPoint(parsed.UnixPipePath);
        }

        var isLocal = string.Equals(parsed.Host, "localhost", StringComparison.OrdinalIgnoreCase);
        var byName = isLocal ? IPAddress.Loopback : IPAddress.IPv6Any;
        return new IPEndPoint(IPAddress.TryParse(parsed.Host, out var own) ? own : byName, parsed.Port);
    }

    private static bool IsHost(string host) => host is "*" or "+" || Uri.CheckHostName(host) != UriHostNameType.Unknown;
}
