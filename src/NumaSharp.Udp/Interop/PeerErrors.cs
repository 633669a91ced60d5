using NumaSharp.Interop;

namespace NumaSharp.Udp.Interop;

/// <summary>
/// The errors that the kernel makes of what peers and routers answer (ICMP; icmp_err_convert in net/ipv4/icmp.c,
/// icmpv6_err_convert in net/ipv6/icmp.c). They wait at the socket until the next call, whichever it is, which then does nothing.
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
