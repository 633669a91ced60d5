using NumaSharp.Interop;

namespace NumaSharp.TestKit;

/// <summary>
/// The calls that sockets and loops make, and the errors that their man pages list (section 2, "ERRORS", and for sockets those of
/// tcp(7), udp(7), ip(7) and unix(7)).
/// </summary>
public static class ManPages
{
    private static readonly Dictionary<string, int[]> s_errors = new(StringComparer.Ordinal)
    {
        ["accept4"] =
        [
            Errno.EAGAIN, Errno.EBADF, Errno.ECONNABORTED, Errno.EFAULT, Errno.EINTR, Errno.EINVAL, Errno.EMFILE, Errno.ENFILE,
            Errno.ENOBUFS, Errno.ENOMEM, Errno.ENOTSOCK, Errno.EOPNOTSUPP, Errno.EPERM, Errno.EPROTO, Errno.ENETDOWN,
            Errno.ENOPROTOOPT, Errno.EHOSTDOWN, Errno.ENONET, Errno.EHOSTUNREACH, Errno.ENETUNREACH, Errno.ESOCKTNOSUPPORT,
            Errno.EPROTONOSUPPORT, Errno.ETIMEDOUT,
        ],
        ["bind"] =
        [
            Errno.EACCES, Errno.EADDRINUSE, Errno.EBADF, Errno.EINVAL, Errno.ENOTSOCK, Errno.EADDRNOTAVAIL, Errno.EFAULT,
            Errno.ELOOP, Errno.ENAMETOOLONG, Errno.ENOENT, Errno.ENOMEM, Errno.ENOTDIR, Errno.EROFS,
        ],
        ["close"] = [Errno.EBADF, Errno.EINTR, Errno.EIO, Errno.ENOSPC, Errno.EDQUOT],
        ["connect"] =
        [
            Errno.EACCES, Errno.EPERM, Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.EAFNOSUPPORT, Errno.EAGAIN, Errno.EALREADY,
            Errno.EBADF, Errno.ECONNREFUSED, Errno.EFAULT, Errno.EINPROGRESS, Errno.EINTR, Errno.EISCONN, Errno.ENETUNREACH,
            Errno.ENOTSOCK, Errno.EPROTOTYPE, Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ECONNRESET,
        ],
        ["epoll_create1"] = [Errno.EINVAL, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM],
        ["epoll_ctl"] =
        [
            Errno.EBADF, Errno.EEXIST, Errno.EINVAL, Errno.ELOOP, Errno.ENOENT, Errno.ENOMEM, Errno.ENOSPC, Errno.EPERM,
        ],
        ["epoll_wait"] = [Errno.EBADF, Errno.EFAULT, Errno.EINTR, Errno.EINVAL],
        ["eventfd"] = [Errno.EINVAL, Errno.EMFILE, Errno.ENFILE, Errno.ENODEV, Errno.ENOMEM],
        ["fcntl"] =
        [
            Errno.EACCES, Errno.EAGAIN, Errno.EBADF, Errno.EBUSY, Errno.EDEADLK, Errno.EFAULT, Errno.EINVAL, Errno.EMFILE,
            Errno.ENOLCK, Errno.EPERM,
        ],
        ["getrlimit"] = [Errno.EFAULT, Errno.EINVAL],
        ["getsockname"] = [Errno.EBADF, Errno.EFAULT, Errno.EINVAL, Errno.ENOBUFS, Errno.ENOTSOCK],
        ["getsockopt"] = [Errno.EBADF, Errno.EFAULT, Errno.EINVAL, Errno.ENOPROTOOPT, Errno.ENOTSOCK],
        // ioctl(2) and ioctl_eventpoll(2).
        ["ioctl"] = [Errno.EBADF, Errno.EFAULT, Errno.EINVAL, Errno.ENOTTY, Errno.EOPNOTSUPP, Errno.EPERM],
        ["listen"] = [Errno.EADDRINUSE, Errno.EBADF, Errno.ENOTSOCK, Errno.EOPNOTSUPP],
        ["recv"] =
        [
            Errno.EAGAIN, Errno.EBADF, Errno.ECONNREFUSED, Errno.EFAULT, Errno.EINTR, Errno.EINVAL, Errno.ENOMEM, Errno.ENOTCONN,
            Errno.ENOTSOCK, Errno.ECONNRESET, Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH, Errno.EIO,
        ],
        ["send"] =
        [
            Errno.EACCES, Errno.EAGAIN, Errno.EALREADY, Errno.EBADF, Errno.ECONNRESET, Errno.EDESTADDRREQ, Errno.EFAULT,
            Errno.EINTR, Errno.EINVAL, Errno.EISCONN, Errno.EMSGSIZE, Errno.ENOBUFS, Errno.ENOMEM, Errno.ENOTCONN,
            Errno.ENOTSOCK, Errno.EOPNOTSUPP, Errno.EPIPE, Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH,
            Errno.ENETDOWN,
        ],
        ["setsockopt"] = [Errno.EBADF, Errno.EFAULT, Errno.EINVAL, Errno.ENOPROTOOPT, Errno.ENOTSOCK],
        ["shutdown"] = [Errno.EBADF, Errno.EINVAL, Errno.ENOTCONN, Errno.ENOTSOCK],
        ["socket"] =
        [
            Errno.EACCES, Errno.EAFNOSUPPORT, Errno.EINVAL, Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS, Errno.ENOMEM,
            Errno.EPROTONOSUPPORT,
        ],
        ["timerfd_create"] = [Errno.EINVAL, Errno.EMFILE, Errno.ENFILE, Errno.ENODEV, Errno.ENOMEM, Errno.EPERM],
        ["timerfd_settime"] = [Errno.EBADF, Errno.EFAULT, Errno.EINVAL],
        ["write"] =
        [
            Errno.EAGAIN, Errno.EBADF, Errno.EDESTADDRREQ, Errno.EDQUOT, Errno.EFAULT, Errno.EFBIG, Errno.EINTR, Errno.EINVAL,
            Errno.EIO, Errno.ENOSPC, Errno.EPERM, Errno.EPIPE,
        ],
    };

    /// <summary>The errors of a call; some share a page.</summary>
    public static IEnumerable<int> Of(string call) => call switch
    {
        "sendmsg" => s_errors["send"],
        "sendmmsg" => [.. s_errors["send"], Errno.ECONNREFUSED, Errno.EPERM],
        "recvmsg" or "recvmmsg" => s_errors["recv"],
        _ => s_errors[call],
    };

    /// <summary>A theory's rows: the call and the error, by their names.</summary>
    public static TheoryData<string, string> Rows(params string[] calls)
    {
        var rows = new TheoryData<string, string>();
        foreach (var call in calls)
        {
            foreach (var errno in Of(call))
            {
                rows.Add(call, Errno.NameOf(errno));
            }
        }

        return rows;
    }

    public static int NumberOf(string name) =>
        (int)typeof(Errno).GetField(name)!.GetRawConstantValue()!;
}
