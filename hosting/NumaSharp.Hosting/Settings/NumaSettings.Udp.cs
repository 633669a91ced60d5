using NumaSharp.Udp;

namespace NumaSharp.Hosting.Configuration;

/// <content>The datagram listeners, each in a section of its name.</content>
internal static partial class NumaSettings
{
    private static Setting[] Udp() =>
    [
        Listener("Address", new AddressFormat(), static u => u.Address, static (u, v) => u.Address = v,
            "The local address."),
        Listener("Port", new IntegerFormat(0, ushort.MaxValue), static u => u.Port, static (u, v) => u.Port = v,
            "The port. 0: the kernel chooses one."),
        Listener("Shards", new IntegerFormat(0, MaxPerNode), static u => u.Shards, static (u, v) => u.Shards = v,
            "How many sockets (shards) share the port, each on an event loop, spread over the nodes. 0: one per event loop."),
        Listener("Steering", new ChoiceFormat<NumaUdpSteering>(), static u => u.Steering, static (u, v) => u.Steering = v,
            "Which shard gets a datagram. Cpu: the one for the CPU that received it. "
            + "Kernel: always the same one for the same peer."),
        Listener("BatchSize", new IntegerFormat(1, 1024), static u => u.BatchSize, static (u, v) => u.BatchSize = v,
            "The maximum number of messages per system call for receiving or replying."),
        Listener("ReceiveBufferSize", SocketBuffer(), static u => u.ReceiveBufferSize,
            static (u, v) => u.ReceiveBufferSize = (int)v,
            "The kernel's receive buffer of each socket (SO_RCVBUF); datagrams beyond it are dropped and counted. The kernel "
            + "caps it at net.core.rmem_max."),
        Listener("SendBufferSize", SocketBuffer(), static u => u.SendBufferSize, static (u, v) => u.SendBufferSize = (int)v,
            "The kernel's send buffer of each socket (SO_SNDBUF); the kernel caps it at net.core.wmem_max."),
        Listener("Gso", s_flag, static u => u.Gso, static (u, v) => u.Gso = v,
            "Passes replies of one length to one peer to the kernel as one message, which it or the network device segments "
            + "(UDP_SEGMENT)."),
        Listener("Gro", s_flag, static u => u.Gro, static (u, v) => u.Gro = v,
            "Lets the kernel join datagrams of one length from one peer (UDP_GRO); the handler still gets them one by one."),
        Listener("CoalesceDelay", Duration(TimeSpan.FromMicroseconds(10), TimeSpan.FromMilliseconds(100), "not at all"),
            static u => u.CoalesceDelay, static (u, v) => u.CoalesceDelay = v,
            "How long a datagram may wait for others when they come at a high, even rate."),
        Listener("DropOwnSource", new OptionalFormat<bool>(s_flag), static u => u.DropOwnSource,
            static (u, v) => u.DropOwnSource = v,
            "Drops and counts datagrams whose source is the listener's own address and port: a handler that replies to one would "
            + "reply to itself forever. Not set: true, but false with SharePort."),
        Listener("SharePort", s_flag, static u => u.SharePort, static (u, v) => u.SharePort = v,
            "Lets other processes of the same user use the same port if they also set this (SO_REUSEPORT). When false, a port "
            + "already in use is an error."),
    ];

    private static NamedSetting<NumaUdpListenerOptions, T> Listener<T>(
        string name,
        SettingFormat<T> format,
        Func<NumaUdpListenerOptions, T> get,
        Action<NumaUdpListenerOptions, T> set,
        string description) =>
        new("Udp", name, format, static o => o.Udp, get, set, description);
}
