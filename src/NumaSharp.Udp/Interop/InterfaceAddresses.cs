using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Sharding;

namespace NumaSharp.Udp.Interop;

/// <summary>The addresses of the machine's network interfaces (getifaddrs(3)).</summary>
internal static unsafe partial class InterfaceAddresses
{
    // sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6).
    private const int Size4 = 16;
    private const int Size6 = 28;

    /// <returns>The result of the call, and the addresses.</returns>
    public static (SysResult Result, HashSet<OwnAddress> Addresses) Read()
    {
        HashSet<OwnAddress> addresses = [];
        Interface* first = null;
        var result = SysResult.FromReturn(Get(&first));
        if (!result.Succeeded)
        {
            return (result, addresses);
        }

        for (var each = first; each is not null; each = each->Next)
        {
            if (each->Address is not null && SizeOf(*(ushort*)each->Address) is > 0 and var size)
            {
                addresses.Add(OwnAddress.Of(new ReadOnlySpan<byte>(each->Address, size)));
            }
        }

        Free(first);
        return (result, addresses);
    }

    private static int SizeOf(ushort family) => family switch
    {
        SocketCalls.AF_INET => Size4,
        SocketCalls.AF_INET6 => Size6,
        _ => 0,
    };

    [LibraryImport("libc", EntryPoint = "getifaddrs", SetLastError = true)]
    private static partial int Get(Interface** first);

    [LibraryImport("libc", EntryPoint = "freeifaddrs")]
    private static partial void Free(Interface* first);

    /// <summary>struct ifaddrs of 64-bit Linux, without the unused fields.</summary>
    [StructLayout(LayoutKind.Explicit)]
    private readonly struct Interface
    {
        [FieldOffset(0)]
        public readonly Interface* Next;

        [FieldOffset(24)]
        public readonly byte* Address;
    }
}
