using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Hosting.Settings;

/// <summary>Matches the end points of an item of <c>Numa:Transport:Endpoints</c>.</summary>
internal sealed class EndpointAddress
{
    private readonly Func<EndPoint, bool> _matches;

    private EndpointAddress(Func<EndPoint, bool> matches) => _matches = matches;

    public static bool TryParse(string? text, out EndpointAddress? address)
    {
        address = text switch
        {
            null or "" => null,
            ['/' or '@', _, ..] => new(endPoint => endPoint is UnixDomainSocketEndPoint name && name.ToString() == text),
            ['f', 'd', ':', .. var number] => ForDescriptor(number),
            _ => ForAddress(text),
        };
        return address is not null;
    }

    /// <summary>Whether it matches an end point as requested: with port 0 if the kernel chooses the port.</summary>
    public bool Matches(EndPoint endPoint) => _matches(endPoint);

    private static EndpointAddress? ForDescriptor(string number) =>
        uint.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var descriptor)
            ? new(endPoint => endPoint is FileHandleEndPoint handle && handle.FileHandle == descriptor)
            : null;

    private static EndpointAddress? ForAddress(string text)
    {
        var colon = text.LastIndexOf(':');
        if (colon < 0
            || !ushort.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            return null;
        }

        Func<IPAddress, bool>? isMeant = text[..colon] switch
        {
            "*" => static _ => true,
            "localhost" => IPAddress.IsLoopback,

            // An IPv6 address without brackets ends with a part that only looks like a port.
            var host when host.Contains(':', StringComparison.Ordinal) && host is not ['[', .., ']'] => null,
            var host when IPAddress.TryParse(host, out var meant) => meant.Equals,
            _ => null,
        };
        return isMeant is null
            ? null
            : new(endPoint => endPoint is IPEndPoint bound && bound.Port == port && isMeant(bound.Address));
    }
}
