using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace NumaSharp.Udp;

/// <summary>
/// The end points and kernel addresses of this process's remotes, so that a datagram from or to one of them creates neither. Of
/// fixed size: a colliding entry is evicted and rebuilt on its next use. No lock: slots are replaced as a whole, and two threads
/// that create the same entry create it twice. Thread-safe.
/// </summary>
/// <remarks>
/// End points are mutable, and a subclass cannot prevent that: the setters are not virtual. So sockets do not share them, and a
/// changed one is not returned again. Receives of one socket do share them: a copy for each would be an allocation per datagram.
/// Each socket also keeps its own last remote: many sockets with one remote each would not fit the table.
/// </remarks>
internal sealed class EndPointCache
{
    // Two slots per remote: 8,192 remotes at most, some 200 bytes each.
    private const int Places = 8192;
    private const int OtherPlace = 1;

    private static readonly EndPointCache s_ipv4 = new(AddressFamily.InterNetwork);
    private static readonly EndPointCache s_ipv6 = new(AddressFamily.InterNetworkV6);

    private static readonly ConditionalWeakTable<Socket, Receiver> s_receivers = [];

    private readonly Entry?[] _byAddress = new Entry?[Places];
    private readonly Entry?[] _byEndPoint = new Entry?[Places];
    private readonly AddressFamily _family;
    private readonly IPEndPoint _factory;

    private EndPointCache(AddressFamily family)
    {
        _family = family;
        _factory = new IPEndPoint(family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0);
    }

    /// <summary>The cache for IPv4 sockets, or for IPv6 sockets, dual-mode or not.</summary>
    public static EndPointCache Of(AddressFamily family) => family == AddressFamily.InterNetwork ? s_ipv4 : s_ipv6;

    /// <summary>The cache's object for a receiving socket; always the same one.</summary>
    public static Receiver ReceiverOf(Socket socket) => s_receivers.GetValue(socket, static _ => new Receiver());

    /// <summary>Returns the end point of a kernel address; the same object while it stays in the cache.</summary>
    /// <param name="receiver">The receiving socket's object.</param>
    /// <param name="address">The address.</param>
    public IPEndPoint Get(Receiver receiver, SocketAddress address)
    {
        if (receiver.Last is { } last && last.Is(receiver, address))
        {
            return last.EndPoint;
        }

        var place = PlaceOf(address.GetHashCode() ^ RuntimeHelpers.GetHashCode(receiver));
        var entry = Find(place, receiver, address);
        if (entry is null)
        {
            entry = new Entry(receiver, Copy(address), (IPEndPoint)_factory.Create(address));
            Keep(_byAddress, place, entry);
        }

        receiver.Last = entry;
        return entry.EndPoint;
    }

    /// <summary>Returns an end point's kernel address, in the form that the family's sockets take. Read-only.</summary>
    public SocketAddress Get(IPEndPoint endPoint)
    {
        var place = PlaceOf(endPoint.GetHashCode());
        if (Find(place, endPoint) is { } known)
        {
            return known.Address;
        }

        var snapshot = Snapshot(endPoint);
        var entry = new Entry(receiver: null, ForSocket(snapshot).Serialize(), snapshot);
        Keep(_byEndPoint, place, entry);
        return entry.Address;
    }

    /// <summary>A copy that later changes of the end point, and of its address, do not reach.</summary>
    public static IPEndPoint Snapshot(IPEndPoint endPoint)
    {
        var address = endPoint.Address;
        return new IPEndPoint(
            address.AddressFamily == AddressFamily.InterNetworkV6
                ? new IPAddress(address.GetAddressBytes(), address.ScopeId)
                : new IPAddress(address.GetAddressBytes()),
            endPoint.Port);
    }

    private static int PlaceOf(int hash) => (int)((uint)(hash * -1640531527) >> 19);

    private static SocketAddress Copy(SocketAddress address)
    {
        var copy = new SocketAddress(address.Family, address.Size);
        address.Buffer.Span[..address.Size].CopyTo(copy.Buffer.Span);
        return copy;
    }

    private static void Keep(Entry?[] entries, int place, Entry entry)
    {
        // The newest remote gets the first slot; the previous one moves to the other slot.
        Volatile.Write(ref entries[place ^ OtherPlace], Volatile.Read(ref entries[place]));
        Volatile.Write(ref entries[place], entry);
    }

    // ip(7), ipv6(7): an IPv6 socket reaches IPv4 through the mapped address.
    private IPEndPoint ForSocket(IPEndPoint endPoint) =>
        _family == AddressFamily.InterNetworkV6 && endPoint.AddressFamily == AddressFamily.InterNetwork
            ? new IPEndPoint(endPoint.Address.MapToIPv6(), endPoint.Port)
            : endPoint;

    private Entry? Find(int place, Receiver receiver, SocketAddress address) =>
        Volatile.Read(ref _byAddress[place]) is { } first && first.Is(receiver, address) ? first
        : Volatile.Read(ref _byAddress[place ^ OtherPlace]) is { } second && second.Is(receiver, address) ? second
        : null;

    private Entry? Find(int place, IPEndPoint endPoint) =>
        Volatile.Read(ref _byEndPoint[place]) is { } first && first.Is(endPoint) ? first
        : Volatile.Read(ref _byEndPoint[place ^ OtherPlace]) is { } second && second.Is(endPoint) ? second
        : null;

    /// <summary>A receiving socket, and its last remote.</summary>
    internal sealed class Receiver
    {
        public Entry? Last { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }
    }

    /// <summary>The application also holds the end point: if it changes it, the entry no longer matches.</summary>
    internal sealed class Entry(Receiver? receiver, SocketAddress address, IPEndPoint endPoint)
    {
        private readonly IPEndPoint _asMade = Snapshot(endPoint);

        public SocketAddress Address => address;

        public IPEndPoint EndPoint => endPoint;

        public bool Is(Receiver other, SocketAddress otherAddress) =>
            receiver == other && address.Equals(otherAddress) && _asMade.Equals(endPoint);

        public bool Is(IPEndPoint other) => _asMade.Equals(other);
    }
}
