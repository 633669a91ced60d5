using NumaSharp.Hosting.Plugins;

namespace NumaSharp.Hosting.Tests.Plugins;

public sealed class PluginFolderTests : IDisposable
{
    private readonly ContentRoot _root = new();
    private readonly ContentRoot _elsewhere = new();

    public PluginFolderTests()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links and modes of this test are those of Unix");
        _root.Add("a.dll", [1]);
        _elsewhere.Add("a.dll", [2]);
    }

    private PluginFolder Folder => new(_root.Root);

    public void Dispose()
    {
        _root.Dispose();
        _elsewhere.Dispose();
    }

    [Fact]
    public void Find_RelativeOrAbsolute_IsTheRealFile()
    {
        Assert.Equal([1], PluginFolder.Read(Folder.Find("plugins/a.dll")));
        Assert.Equal([1], PluginFolder.Read(Folder.Find("plugins/../plugins/./a.dll")));
        Assert.Equal([1], PluginFolder.Read(Folder.Find(_root.PathOf("plugins", "a.dll"))));
    }

    [Theory]
    [InlineData("a.dll")]
    [InlineData("plugins/../a.dll")]
    [InlineData("../a.dll")]
    public void Find_OutsideTheFolder_IsRefused(string path)
    {
        File.WriteAllBytes(_root.PathOf("a.dll"), [3]);
        Assert.StartsWith("must be a file below", RefusalOf(path), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_FolderWhoseNameOnlyBeginsAlike_IsOutside()
    {
        Directory.CreateDirectory(_root.PathOf("plugins2"));
        File.WriteAllBytes(_root.PathOf("plugins2", "a.dll"), []);
        Assert.StartsWith("must be a file below", RefusalOf("plugins2/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_LinkOutOfTheFolder_IsRefusedWithWhereItLeads()
    {
        File.CreateSymbolicLink(_root.PathOf("plugins", "link.dll"), _elsewhere.PathOf("plugins", "a.dll"));
        Directory.CreateSymbolicLink(_root.PathOf("plugins", "folder"), _elsewhere.PathOf("plugins"));
        var target = RealPath.Of(_elsewhere.PathOf("plugins", "a.dll"));
        Assert.EndsWith($"with links resolved it is '{target}'", RefusalOf("plugins/link.dll"), StringComparison.Ordinal);
        Assert.EndsWith($"with links resolved it is '{target}'", RefusalOf("plugins/folder/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_LinksInsideTheFolder_AreFollowed()
    {
        Directory.CreateDirectory(_root.PathOf("plugins", "v1"));
        File.Move(_root.PathOf("plugins", "a.dll"), _root.PathOf("plugins", "v1", "a.dll"));
        Directory.CreateSymbolicLink(_root.PathOf("plugins", "current"), "v1");
        File.CreateSymbolicLink(_root.PathOf("plugins", "a.dll"), "current/a.dll");
        Assert.Equal(RealPath.Of(_root.PathOf("plugins", "v1", "a.dll")), Folder.Find("plugins/a.dll"));
    }

    [Fact]
    public void Find_PluginFolderIsALinkItself_IsWhereItLeads()
    {
        Directory.Delete(_root.PathOf("plugins"), recursive: true);
        Directory.CreateSymbolicLink(_root.PathOf("plugins"), _elsewhere.PathOf("plugins"));
        Assert.Equal([2], PluginFolder.Read(Folder.Find("plugins/a.dll")));
    }

    [Fact]
    public void Find_LinkLoop_IsRefused()
    {
        File.CreateSymbolicLink(_root.PathOf("plugins", "x.dll"), "y.dll");
        File.CreateSymbolicLink(_root.PathOf("plugins", "y.dll"), "x.dll");
        Assert.Contains("more links on the way than a path may have", RefusalOf("plugins/x.dll"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("plugins/sub/a.dll")]
    [InlineData("plugins/sub")]
    [InlineData("plugins")]
    [InlineData("")]
    public void Find_EverybodyCanWriteOnTheWay_IsRefused(string writable)
    {
        Directory.CreateDirectory(_root.PathOf("plugins", "sub"));
        File.WriteAllBytes(_root.PathOf("plugins", "sub", "a.dll"), []);
        Folder.Find("plugins/sub/a.dll");
        var path = RealPath.Of(_root.PathOf(writable.Split('/')));
        AllowEverybody(path, UnixFileMode.None);
        Assert.StartsWith(
            $"is refused because everybody can write to '{path}'", RefusalOf("plugins/sub/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_StickyFolder_IsRefusedInsideAndTakenAbove()
    {
        AllowEverybody(_root.Root, UnixFileMode.StickyBit);
        Folder.Find("plugins/a.dll");
        AllowEverybody(_root.PathOf("plugins"), UnixFileMode.StickyBit);
        Assert.StartsWith("is refused because everybody", RefusalOf("plugins/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_Folder_IsRefused()
    {
        Directory.CreateDirectory(_root.PathOf("plugins", "folder.dll"));
        Assert.Equal("must be a file; it is a folder", RefusalOf("plugins/folder.dll"));
    }

    [Theory]
    [InlineData("plugins/a\0.dll")]
    [InlineData("plugins/a.dll/b.dll")]
    public void Find_PathThatCannotBe_IsRefused(string path) =>
        Assert.StartsWith("must be a file below", RefusalOf(path), StringComparison.Ordinal);

    private static void AllowEverybody(string path, UnixFileMode more)
    {
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, File.GetUnixFileMode(path) | UnixFileMode.OtherWrite | more);
        }
    }

    private string RefusalOf(string path) => Assert.Throws<PluginRefusedException>(() => Folder.Find(path)).Message;
}
