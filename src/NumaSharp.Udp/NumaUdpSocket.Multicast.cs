using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Groups. The first shard joins them all: the kernel gives a copy to each socket that has joined.</content>
public sealed partial class NumaUdpSocket
{
    private readonly List<(IPAddress Group, int InterfaceIndex)> _groups = [];
    private volatile bool _isOutOfGroups;

    /// <summary>Joins a group to receive its datagrams (IP_ADD_MEMBERSHIP, ip(7)), on the first shard only.</summary>
    /// <param name="group">A multicast address of the socket's family; a dual-mode socket takes both.</param>
    /// <param name="interfaceIndex">
    /// The network interface (if_nametoindex(3)); 0 for the one in the address (<c>ff02::fb%2</c>), or the one that routing
    /// chooses.
    /// </param>
    /// <exception cref="ArgumentException">The address is not a multicast one.</exception>
    /// <exception cref="SocketException">The kernel refuses, or the socket is lost and cannot be opened again yet.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public void JoinGroup(IPAddress group, int interfaceIndex = 0) => SetMembership(group, interfaceIndex, isMember: true);

    /// <summary>Leaves a group joined by <see cref="JoinGroup"/>.</summary>
    /// <param name="group">The group.</param>
    /// <param name="interfaceIndex">The interface it was joined on; 0 for the one in the address, or any.</param>
    /// <exception cref="ArgumentException">The address is not a multicast one.</exception>
    /// <exception cref="SocketException">It was not joined.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public void LeaveGroup(IPAddress group, int interfaceIndex = 0) => SetMembership(group, interfaceIndex, isMember: false);

    private void SetMembership(IPAddress group, int interfaceIndex, bool isMember)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentOutOfRangeException.ThrowIfNegative(interfaceIndex);
        if (!IsMulticast(group))
        {
            throw new ArgumentException(
                $"{group} is not a multicast address: 224.0.0.0 to 239.255.255.255, or ff00::/8.", nameof(group));
        }

        if (group.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // The list has addresses without an interface.
            interfaceIndex = interfaceIndex == 0 ? (int)group.ScopeId : interfaceIndex;
            group = new IPAddress(group.GetAddressBytes());
        }

        // The list changes in the same step: a socket that replaces this one joins what is in it.
        var result = Shards[0].WithSocket(
            socket => isMember ? Join(socket, group, interfaceIndex) : Leave(socket, group, interfaceIndex));
        ObjectDisposedException.ThrowIf(Shards[0].IsClosed, this);
        SocketFailure.ThrowIfFailed(result, $"{(isMember ? "joining" : "leaving")} {group} on {LocalEndPoint}");
    }

    private SysResult Join(DatagramSocket socket, IPAddress group, int interfaceIndex)
    {
        var result = SetMembership(socket, group, interfaceIndex, isMember: true);
        if (result.Succeeded)
        {
            lock (_lock)
            {
                _groups.Add((group, interfaceIndex));
            }
        }

        return result;
    }

    private SysResult Leave(DatagramSocket socket, IPAddress group, int interfaceIndex)
    {
        var result = SetMembership(socket, group, interfaceIndex, isMember: false);
        lock (_lock)
        {
            if (result.Succeeded)
            {
                Forget(group, interfaceIndex);
                return result;
            }

            // A socket that replaced another may not have joined the group again yet.
            var isMissing = _isOutOfGroups && result.Errno == Errno.EADDRNOTAVAIL;
            return isMissing && _groups.Remove((group, interfaceIndex)) ? SysResult.FromReturn(0) : result;
        }
    }

    // The kernel has left a group: for IPv6 without an interface, the last one joined; for IPv4, on the interface of the route,
    // which is also that of a group joined without one.
    private void Forget(IPAddress group, int interfaceIndex)
    {
        var place = _groups.LastIndexOf((group, interfaceIndex));
        if (interfaceIndex == 0 && (place < 0 || group.AddressFamily == AddressFamily.InterNetworkV6))
        {
            place = _groups.FindLastIndex(joined => joined.Group.Equals(group));
        }
        else if (place < 0)
        {
            place = _groups.LastIndexOf((group, 0));
        }

        if (place >= 0)
        {
            _groups.RemoveAt(place);
        }
    }

    // Joins what the replaced socket of the first shard was a member of.
    private SysResult Rejoin(DatagramSocket socket)
    {
        lock (_lock)
        {
            RejoinAll(socket);
        }

        return SysResult.FromReturn(0);
    }

    private void RejoinAll(DatagramSocket socket)
    {
        _isOutOfGroups = false;
        foreach (var (group, interfaceIndex) in _groups)
        {
            var result = SetMembership(socket, group, interfaceIndex, isMember: true);

            // EADDRINUSE: an earlier attempt has already joined this group.
            if (!result.Succeeded && result.Errno != Errno.EADDRINUSE)
            {
                _isOutOfGroups = true;
                _opener.Report(result, FallbackCatalog.UdpMulticast, $"Joining {group} again");
            }
        }

        if (!_isOutOfGroups)
        {
            _opener.Fallbacks.End(FallbackCatalog.UdpMulticast);
        }
    }

    private static SysResult SetMembership(DatagramSocket socket, IPAddress group, int interfaceIndex, bool isMember)
    {
        if (group.AddressFamily == AddressFamily.InterNetwork)
        {
            var request = new GroupRequest4 { Interface = interfaceIndex };
            group.TryWriteBytes(request.Group, out _);
            return socket.SetStructure(
                UdpCalls.IPPROTO_IP, isMember ? UdpCalls.IP_ADD_MEMBERSHIP : UdpCalls.IP_DROP_MEMBERSHIP, request);
        }

        var request6 = new GroupRequest6 { Interface = interfaceIndex };
        group.TryWriteBytes(request6.Group, out _);
        return socket.SetStructure(
            SocketCalls.IPPROTO_IPV6, isMember ? UdpCalls.IPV6_ADD_MEMBERSHIP : UdpCalls.IPV6_DROP_MEMBERSHIP, request6);
    }

    private static bool IsMulticast(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork
        ? (address.GetAddressBytes()[0] & 0xf0) == 0xe0
        : address.IsIPv6Multicast;
}
