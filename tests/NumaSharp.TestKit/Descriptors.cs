namespace NumaSharp.TestKit;

/// <summary>The sockets and loops that this process has open.</summary>
public static class Descriptors
{
    private static readonly string[] s_kinds =
        ["socket:", "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[timerfd]"];

    public static int Count() =>
        new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos().Count(static link =>
            link.LinkTarget is { } target && s_kinds.Any(kind => target.StartsWith(kind, StringComparison.Ordinal)));
}
