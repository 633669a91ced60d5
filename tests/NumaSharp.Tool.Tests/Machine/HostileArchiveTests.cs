using System.Formats.Tar;
using System.IO.Compression;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Machine;

/// <summary>Archives come from strangers.</summary>
public sealed class HostileArchiveTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Archive => Path.Join(_folder.Path, "inner", "hostile.tar.gz");

    public HostileArchiveTests() => Directory.CreateDirectory(Path.GetDirectoryName(Archive)!);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("../escaped")]
    [InlineData("top/../../escaped")]
    [InlineData("/escaped")]
    [InlineData("top//escaped")]
    [InlineData("top/./escaped")]
    [InlineData("..")]
    public async Task Open_PathOutside_IsRefused(string name)
    {
        Write(new PaxTarEntry(TarEntryType.RegularFile, name) { DataStream = new MemoryStream([1]) });
        await AssertRefused("is not a path within the archive");
    }

    [Theory]
    [InlineData(TarEntryType.SymbolicLink)]
    [InlineData(TarEntryType.HardLink)]
    [InlineData(TarEntryType.Fifo)]
    [InlineData(TarEntryType.CharacterDevice)]
    public async Task Open_AnythingButFilesAndFolders_IsRefused(TarEntryType type)
    {
        var entry = new PaxTarEntry(type, "top/sys");
        if (type is TarEntryType.SymbolicLink or TarEntryType.HardLink)
        {
            entry.LinkName = "/etc";
        }

        Write(entry);
        await AssertRefused("is neither a file nor a folder");
    }

    [Fact]
    public async Task Open_PipeWithoutAWriter_IsNotWaitedFor()
    {
        ExternalProgram.SkipUnlessThere("mkfifo");
        await ExternalProgram.RunAsync("mkfifo", Archive);

        await AssertRefused("is not a plain file");
    }

    [Fact]
    public async Task Open_TheSameFileTwice_IsRefused()
    {
        Write(File("top/sys/a"), File("top/sys/a"));
        await AssertRefused("top/sys/a");
    }

    [Fact]
    public async Task Open_MoreThanItMayUnpackTo_IsRefused()
    {
        await using (var file = System.IO.File.Create(Archive))
        {
            WriteBomb(file);
        }

        await AssertRefused("unpacks to more than");
    }

    [Fact]
    public async Task Open_NoFolderSys_IsRefused()
    {
        Write(File("top/proc/self/status"));
        await AssertRefused("has no folder sys");
    }

    [Fact]
    public async Task Open_CutOff_IsRefused()
    {
        Write(File("top/sys/a"), File("top/sys/b"));
        var bytes = await System.IO.File.ReadAllBytesAsync(Archive, TestContext.Current.CancellationToken);
        await System.IO.File.WriteAllBytesAsync(Archive, bytes[..(bytes.Length / 2)], TestContext.Current.CancellationToken);
        await AssertRefused("is not a tar.gz archive that can be read");
    }

    [Theory]
    [InlineData("")]
    [InlineData("not an archive at all")]
    public async Task Open_SomethingElse_IsRefused(string content)
    {
        await System.IO.File.WriteAllTextAsync(Archive, content, TestContext.Current.CancellationToken);
        await AssertRefused(Archive);
    }

    [Theory]
    [InlineData(40)]
    [InlineData(200, Traits = new[] { "tier", "deep" })]
    public async Task Open_MutatedArchives_AreReadOrRefusedInOneLine(int mutations)
    {
        using var tree = MachineTree.TwoNodes();
        var original = Path.Join(_folder.Path, "original.tar.gz");
        await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", original);
        using var tar = new MemoryStream();
        using (var zipped = new GZipStream(System.IO.File.OpenRead(original), CompressionMode.Decompress))
        {
            await zipped.CopyToAsync(tar, TestContext.Current.CancellationToken);
        }

        var random = new Random(20260917);
        for (var i = 0; i < mutations; i++)
        {
            var bytes = tar.ToArray();
            for (var change = random.Next(1, 6); change > 0; change--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            using (var zipped = new GZipStream(System.IO.File.Create(Archive), CompressionLevel.Fastest))
            {
                zipped.Write(bytes.AsSpan(0, random.Next(4) == 0 ? random.Next(bytes.Length) : bytes.Length));
            }

            var run = await ToolRun.Of("topology", "--root", Archive);
            Assert.True(run.ExitCode == ExitCodes.Success || run.ErrorLine.Length > 0);
        }
    }

    private static PaxTarEntry File(string name) =>
        new(TarEntryType.RegularFile, name) { DataStream = new MemoryStream([.. Enumerable.Repeat((byte)'1', 600)]) };

    // The header of a file of a terabyte, and then as many zeros as are read.
    private static void WriteBomb(Stream stream)
    {
        using var header = new MemoryStream();
        using (var writer = new TarWriter(header, TarEntryFormat.Gnu, leaveOpen: true))
        {
            writer.WriteEntry(new GnuTarEntry(TarEntryType.RegularFile, "top/sys/bomb") { DataStream = new MemoryStream([0]) });
        }

        var block = header.ToArray()[..512];
        "77777777777\0"u8.CopyTo(block.AsSpan(124));
        block.AsSpan(148, 8).Fill((byte)' ');
        var sum = Convert.ToString(block.Sum(static value => value), 8).PadLeft(6, '0');
        System.Text.Encoding.ASCII.GetBytes(sum + "\0 ").CopyTo(block.AsSpan(148));
        // A gzip file may have many members: that of the zeros is compressed once.
        stream.Write(Zip(block));
        var zeros = Zip(new byte[1 << 20]);
        for (var i = 0; i < 600; i++)
        {
            stream.Write(zeros);
        }
    }

    private static byte[] Zip(byte[] bytes)
    {
        using var zipped = new MemoryStream();
        using (var gzip = new GZipStream(zipped, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(bytes);
        }

        return zipped.ToArray();
    }

    private void Write(params PaxTarEntry[] entries)
    {
        using var zipped = new GZipStream(System.IO.File.Create(Archive), CompressionMode.Compress);
        using var writer = new TarWriter(zipped);
        foreach (var entry in entries)
        {
            writer.WriteEntry(entry);
        }
    }

    private async Task AssertRefused(string reason)
    {
        var run = await ToolRun.Of("topology", "--root", Archive);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains(reason, run.ErrorLine, StringComparison.Ordinal);
        Assert.Equal([Archive], Directory.EnumerateFiles(_folder.Path, "*", SearchOption.AllDirectories));
    }
}
