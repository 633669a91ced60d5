using NumaSharp.Interop;

namespace NumaSharp.Udp.Interop;

/// <summary>
/// The errors that the kernel derives from replies of peers and routers (ICMP; icmp_err_convert in net/ipv4/icmp.c,
/// icmpv6_err_convert in net/ipv6/icmp.c). They stay pending until the socket's next call, of any kind, which then does nothing.
/// </summary>
internal static class PeerErrors
{
    public static bool Contains(int errno) => errno
        is Errno.ECONNREFUSED
        or Errno.EHOSTUNREACH
        or Errno.ENETUNREACH
        or Errno.EHOSTDOWN
        or Errno.ENONET
        or Errno.ENOPROTOOPT
        or Errno.EOPNOTSUPP
        or Errno.EPROTO
        or Errno.EACCES
        or Errno.EMSGSIZE;
}
