namespace NumaSharp.TestKit;

/// <summary>Where tests have their sockets of Unix.</summary>
public static class UnixPath
{
    /// <summary>A path that nothing has, short enough for a socket.</summary>
    public static string New() => Path.Combine(Path.GetTempPath(), $"numasharp-{Path.GetRandomFileName()}.sock");
}
