using System.Net;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>What is between the server and its load.</summary>
internal enum UdpNetwork
{
    /// <summary>Loopback, which never cuts what is sent as one.</summary>
    Loopback,

    /// <summary>A <see cref="VethPair"/>, which does.</summary>
    Veth,
}

/// <summary>Where the server is.</summary>
internal static class UdpNetworks
{
    public static IPAddress AddressOf(UdpNetwork network) =>
        network == UdpNetwork.Veth ? VethPair.ServerAddress : IPAddress.Loopback;
}
