using System.Globalization;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

/// <summary>How long a network interface waits before it interrupts: ETHTOOL_GCOALESCE of linux/ethtool.h.</summary>
[InlineArray(WordCount)]
internal struct Coalescing
{
    /// <summary>ethtool(8)'s words for what can be set.</summary>
    public const string ReceiveMicroseconds = "rx-usecs";

    /// <inheritdoc cref="ReceiveMicroseconds"/>
    public const string AdaptiveReceive = "adaptive-rx";

    // struct ethtool_coalesce: the command, then 22 numbers.
    private const int WordCount = 23;
    private const int ReceiveIndex = 1;
    private const int AdaptiveReceiveIndex = 10;

    private const uint ETHTOOL_GCOALESCE = 0xe;
    private const uint ETHTOOL_SCOALESCE = 0xf;
    private const nuint SIOCETHTOOL = 0x8946;

    // IFNAMSIZ of linux/if.h, with the NUL at the end.
    private const int MaxName = 15;

    private uint _first;

    /// <summary>Asks the driver.</summary>
    public static SysResult TryRead(string device, out Coalescing coalescing)
    {
        coalescing = default;
        coalescing[0] = ETHTOOL_GCOALESCE;
        return Call(device, ref coalescing);
    }

    /// <summary>Tells the driver, which refuses what it does not know. Needs CAP_NET_ADMIN.</summary>
    public SysResult TryWrite(string device)
    {
        this[0] = ETHTOOL_SCOALESCE;
        return Call(device, ref this);
    }

    public readonly string? Get(string word) => word switch
    {
        ReceiveMicroseconds => this[ReceiveIndex].ToString(CultureInfo.InvariantCulture),
        AdaptiveReceive => this[AdaptiveReceiveIndex] == 0 ? "off" : "on",
        _ => null,
    };

    public void Set(string word, string value)
    {
        if (word == ReceiveMicroseconds)
        {
            this[ReceiveIndex] = uint.Parse(value, CultureInfo.InvariantCulture);
        }
        else
        {
            this[AdaptiveReceiveIndex] = value == "on" ? 1u : 0u;
        }
    }

    private static unsafe SysResult Call(string device, ref Coalescing coalescing)
    {
        var name = Encoding.UTF8.GetBytes(device);
        if (name.Length > MaxName)
        {
            return SysResult.FromErrno(Errno.ENODEV);
        }

        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        fixed (Coalescing* data = &coalescing)
        {
            var request = new InterfaceRequest { Data = data };
            name.CopyTo(new Span<byte>(request.Name, MaxName));
            return SysResult.FromReturn(Native.DeviceControl((int)socket.Handle, SIOCETHTOOL, &request));
        }
    }

    // struct ifreq (netdevice(7)) of 64-bit Linux: the name, then a union of 24 bytes.
    [StructLayout(LayoutKind.Sequential, Size = 40)]
    private unsafe struct InterfaceRequest
    {
        public fixed byte Name[MaxName + 1];
        public void* Data;
    }
}
