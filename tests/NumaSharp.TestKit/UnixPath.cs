namespace NumaSharp.TestKit;

/// <summary>Where tests have their sockets of Unix.</summary>
public static class UnixPath
{
    // A path has 107 bytes (unix(7)).
    private const int MostOfTheFolder = 60;

    private static readonly string s_folder =
        Path.GetTempPath() is { Length: <= MostOfTheFolder } folder ? folder : "/tmp";

    /// <summary>A path that nothing has, short enough for a socket.</summary>
    public static string New() => Path.Combine(s_folder, $"numasharp-{Path.GetRandomFileName()}.sock");
}
