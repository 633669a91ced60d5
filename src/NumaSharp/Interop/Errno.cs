namespace NumaSharp.Interop;

/// <summary>
/// The errno values that this code base acts upon, with the kernel's own names. They are the same on x64 and arm64
/// (include/uapi/asm-generic/errno-base.h, errno.h).
/// </summary>
internal static class Errno
{
    public const int EPERM = 1;
    public const int ENOENT = 2;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int ENOEXEC = 8;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EACCES = 13;
    public const int EFAULT = 14;
    public const int EBUSY = 16;
    public const int EEXIST = 17;
    public const int ENODEV = 19;
    public const int ENOTDIR = 20;
    public const int EINVAL = 22;
    public const int ENFILE = 23;
    public const int EMFILE = 24;
    public const int ENOTTY = 25;
    public const int EFBIG = 27;
    public const int ENOSPC = 28;
    public const int EROFS = 30;
    public const int EPIPE = 32;
    public const int EDEADLK = 35;
    public const int ENAMETOOLONG = 36;
    public const int ENOLCK = 37;
    public const int ENOSYS = 38;
    public const int ELOOP = 40;
    public const int ENONET = 64;
    public const int EPROTO = 71;
    public const int ENOTSOCK = 88;
    public const int EDESTADDRREQ = 89;
    public const int EMSGSIZE = 90;
    public const int EPROTOTYPE = 91;
    public const int ENOPROTOOPT = 92;
    public const int EPROTONOSUPPORT = 93;
    public const int ESOCKTNOSUPPORT = 94;
    public const int EOPNOTSUPP = 95;
    public const int EAFNOSUPPORT = 97;
    public const int EADDRINUSE = 98;
    public const int EADDRNOTAVAIL = 99;
    public const int ENETDOWN = 100;
    public const int ENETUNREACH = 101;
    public const int ECONNABORTED = 103;
    public const int ECONNRESET = 104;
    public const int ENOBUFS = 105;
    public const int EISCONN = 106;
    public const int ENOTCONN = 107;
    public const int ETIMEDOUT = 110;
    public const int ECONNREFUSED = 111;
    public const int EHOSTDOWN = 112;
    public const int EHOSTUNREACH = 113;
    public const int EALREADY = 114;
    public const int EINPROGRESS = 115;
    public const int EDQUOT = 122;

    private static readonly Dictionary<int, string> s_names = new()
    {
        [EPERM] = nameof(EPERM),
        [ENOENT] = nameof(ENOENT),
        [EINTR] = nameof(EINTR),
        [EIO] = nameof(EIO),
        [ENOEXEC] = nameof(ENOEXEC),
        [EBADF] = nameof(EBADF),
        [EAGAIN] = nameof(EAGAIN),
        [ENOMEM] = nameof(ENOMEM),
        [EACCES] = nameof(EACCES),
        [EFAULT] = nameof(EFAULT),
        [EBUSY] = nameof(EBUSY),
        [EEXIST] = nameof(EEXIST),
        [ENODEV] = nameof(ENODEV),
        [ENOTDIR] = nameof(ENOTDIR),
        [EINVAL] = nameof(EINVAL),
        [ENFILE] = nameof(ENFILE),
        [EMFILE] = nameof(EMFILE),
        [ENOTTY] = nameof(ENOTTY),
        [EFBIG] = nameof(EFBIG),
        [ENOSPC] = nameof(ENOSPC),
        [EROFS] = nameof(EROFS),
        [EPIPE] = nameof(EPIPE),
        [EDEADLK] = nameof(EDEADLK),
        [ENAMETOOLONG] = nameof(ENAMETOOLONG),
        [ENOLCK] = nameof(ENOLCK),
        [ENOSYS] = nameof(ENOSYS),
        [ELOOP] = nameof(ELOOP),
        [ENONET] = nameof(ENONET),
        [EPROTO] = nameof(EPROTO),
        [ENOTSOCK] = nameof(ENOTSOCK),
        [EDESTADDRREQ] = nameof(EDESTADDRREQ),
        [EMSGSIZE] = nameof(EMSGSIZE),
        [EPROTOTYPE] = nameof(EPROTOTYPE),
        [ENOPROTOOPT] = nameof(ENOPROTOOPT),
        [EPROTONOSUPPORT] = nameof(EPROTONOSUPPORT),
        [ESOCKTNOSUPPORT] = nameof(ESOCKTNOSUPPORT),
        [EOPNOTSUPP] = nameof(EOPNOTSUPP),
        [EAFNOSUPPORT] = nameof(EAFNOSUPPORT),
        [EADDRINUSE] = nameof(EADDRINUSE),
        [EADDRNOTAVAIL] = nameof(EADDRNOTAVAIL),
        [ENETDOWN] = nameof(ENETDOWN),
        [ENETUNREACH] = nameof(ENETUNREACH),
        [ECONNABORTED] = nameof(ECONNABORTED),
        [ECONNRESET] = nameof(ECONNRESET),
        [ENOBUFS] = nameof(ENOBUFS),
        [EISCONN] = nameof(EISCONN),
        [ENOTCONN] = nameof(ENOTCONN),
        [ETIMEDOUT] = nameof(ETIMEDOUT),
        [ECONNREFUSED] = nameof(ECONNREFUSED),
        [EHOSTDOWN] = nameof(EHOSTDOWN),
        [EHOSTUNREACH] = nameof(EHOSTUNREACH),
        [EALREADY] = nameof(EALREADY),
        [EINPROGRESS] = nameof(EINPROGRESS),
        [EDQUOT] = nameof(EDQUOT),
    };

    public static string NameOf(int errno) =>
        s_names.TryGetValue(errno, out var name) ? name : string.Create(null, $"errno {errno}");
}
