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
        Assert.Equal([1], PluginFile.Read(Folder.Find("plugins/a.dll")));
        Assert.Equal([1], PluginFile.Read(Folder.Find("plugins/../plugins/./a.dll")));
        Assert.Equal([1], PluginFile.Read(Folder.Find(_root.PathOf("plugins", "a.dll"))));
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
        Assert.Equal([2], PluginFile.Read(Folder.Find("plugins/a.dll")));
    }

    [Fact]
    public void Find_LinkLoop_IsRefused()
    {
        File.CreateSymbolicLink(_root.PathOf("plugins", "x.dll"), "y.dll");
        File.CreateSymbolicLink(_root.PathOf("plugins", "y.dll"), "x.dll");
        Assert.Contains("too many symbolic links in its path", RefusalOf("plugins/x.dll"), StringComparison.Ordinal);
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
            $"is refused because every user can write to '{path}'", RefusalOf("plugins/sub/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_StickyFolder_IsRefusedInsideAndTakenAbove()
    {
        AllowEverybody(_root.Root, UnixFileMode.StickyBit);
        Folder.Find("plugins/a.dll");
        AllowEverybody(_root.PathOf("plugins"), UnixFileMode.StickyBit);
        Assert.StartsWith("is refused because every user", RefusalOf("plugins/a.dll"), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_Folder_IsRefused()
    {
        Directory.CreateDirectory(_root.PathOf("plugins", "folder.dll"));
        Assert.Equal("must be a file; it is a folder", RefusalOf("plugins/folder.dll"));
    }

    [Fact]
    public async Task Find_Fifo_IsRefusedAndNotWaitedFor()
    {
        await AddFifoAsync("b.dll");
        const string Refusal = "must be a file; it is a FIFO, a socket or a device";
        Assert.Equal(Refusal, RefusalOf("plugins/b.dll"));

        // As if it became one after it was checked.
        Assert.Equal(Refusal, Assert.Throws<PluginRefusedException>(() =>
            PluginFile.Read(_root.PathOf("plugins", "b.dll"))).Message);
    }

    [Fact]
    public async Task Load_ListOfDependenciesIsAFifo_IsRefusedAndNotWaitedFor()
    {
        var plugin = _root.AddAcme();
        File.Delete(_root.PathOf("plugins", "Acme.Numa.deps.json"));
        await AddFifoAsync("Acme.Numa.deps.json");
        Assert.EndsWith(
            "must be a file; it is a FIFO, a socket or a device", PluginHost.RefusalOf(_root, plugin), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("plugins/sub/a.dll")]
    [InlineData("plugins/sub")]
    [InlineData("plugins")]
    [InlineData("")]
    public void Find_OwnerOnTheWayIsAnotherUser_IsRefusedAndNamesAllowedOwners(string foreign)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "owners are looked at on Linux");
        Directory.CreateDirectory(_root.PathOf("plugins", "sub"));
        File.WriteAllBytes(_root.PathOf("plugins", "sub", "a.dll"), []);
        var path = RealPath.Of(_root.PathOf(foreign.Split('/')));
        Assert.Equal(
            $"is refused because '{path}' belongs to user 1002; its owner must be root or user 1001, which this process runs as "
            + "(chown)",
            RefusalOf(1001, owner => owner == path ? 1002u : 1001));
        Assert.Equal(
            $"is refused because '{path}' belongs to user 1001; its owner must be root (chown)",
            RefusalOf(0, owner => owner == path ? 1001u : 0));
        Assert.Null(RefusalOf(1001, owner => owner == path ? 0u : 1001));
        Assert.Null(RefusalOf(1001, static _ => null));

        string? RefusalOf(uint user, Func<string, uint?> ownerOf) => Record.Exception(() =>
            new PluginFolder(_root.Root, new FileOwners(user, ownerOf)).Find("plugins/sub/a.dll"))?.Message;
    }

    [Fact]
    public void OfThisSystem_FilesOfTheTest_AreItsUsers()
    {
        FileOwners.OfThisSystem.Check(_root.PathOf("plugins", "a.dll"));
        Assert.Throws<IOException>(() => FileOwners.OfThisSystem.Check(_root.PathOf("plugins", "nothing.dll")));
    }

    [Theory]
    [InlineData("plugins/a\0.dll")]
    [InlineData("plugins/a.dll/b.dll")]
    public void Find_PathThatCannotBe_IsRefused(string path) =>
        Assert.StartsWith("must be a file below", RefusalOf(path), StringComparison.Ordinal);

    private Task<string> AddFifoAsync(string name) => ExternalProgram.RunAsync("mkfifo", _root.PathOf("plugins", name));

    private static void AllowEverybody(string path, UnixFileMode more)
    {
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, File.GetUnixFileMode(path) | UnixFileMode.OtherWrite | more);
        }
    }

    private string RefusalOf(string path) => Assert.Throws<PluginRefusedException>(() => Folder.Find(path)).Message;
}
