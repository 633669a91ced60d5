using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class CommandPathTests : IDisposable
{
    private readonly List<TemporaryFolder> _folders = [];

    public CommandPathTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Modes of files are those of Unix.");

    public void Dispose() => _folders.ForEach(static folder => folder.Dispose());

    [Fact]
    public void Find_Name_IsTheFirstExecutableOnThePath()
    {
        var (plain, executable) = (Folder(UnixFileMode.UserRead), Folder(UnixFileMode.UserRead | UnixFileMode.UserExecute));

        Assert.Equal($"{executable}/tool", CommandPath.Find("tool", $"/nonexistent:{plain}:{executable}"));
        Assert.Equal($"{plain}/tool", CommandPath.Find("tool", $"/nonexistent:{plain}"));
        Assert.Null(CommandPath.Find("no such tool", executable));
    }

    [Fact]
    public void Find_PathWithASlash_IsTakenAsItIs()
    {
        var path = $"{Folder(UnixFileMode.UserRead)}/tool";

        Assert.Equal(path, CommandPath.Find(path, ""));
        Assert.Equal(Path.GetDirectoryName(path), CommandPath.Find(Path.GetDirectoryName(path)!, ""));
        Assert.Null(CommandPath.Find($"{path}x", ""));
    }

    private string Folder(UnixFileMode mode)
    {
        var folder = new TemporaryFolder();
        _folders.Add(folder);
        File.WriteAllText(folder.PathOf("tool"), "");
#pragma warning disable CA1416 // The constructor has seen that this is Linux.
        File.SetUnixFileMode(folder.PathOf("tool"), mode);
#pragma warning restore CA1416
        return folder.Path;
    }
}
