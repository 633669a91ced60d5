using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class PeersTests
{
    [Fact]
    public void Require_LibraryThatIsNotThere_NamesItsPackage()
    {
        PeerLibrary missing = new("libnosuch.so.9", "libnosuch9");
        PeerLibrary[] libraries = [missing, new("libc.so.6", "libc6"), missing with { }];

        var failure = Assert.Throws<BenchmarkException>(() => PeerLibrary.Require(libraries));

        Assert.Equal(
            "cannot be loaded: libnosuch.so.9; install the Debian packages: apt-get install libnosuch9", failure.Message);
    }

    [Fact]
    public void Load_LibraryThatIsNotThere_NamesItsPackage() => Assert.Contains(
        "apt-get install libnosuch9",
        Assert.Throws<BenchmarkException>(() => new PeerLibrary("libnosuch.so.9", "libnosuch9").Load()).Message,
        StringComparison.Ordinal);

    // Of a library that is unloaded again, what it leaves for a thread's end would run in memory without code.
    [Fact]
    public void IsInstalled_LibraryWithAnEndOfThreads_StaysLoaded()
    {
        var library = MimallocBlocks.Library;
        Assert.SkipUnless(library.IsInstalled, $"needs the Debian package {library.Package}");

        Assert.Contains(library.FileName, File.ReadAllText("/proc/self/maps"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("MIMALLOC_LARGE_OS_PAGES", "1", true)]
    [InlineData("MALLOC_CONF", "dirty_decay_ms:0", true)]
    [InlineData("MALLOC_ARENA_MAX", "1", true)]
    [InlineData("LD_PRELOAD", "/usr/lib/libjemalloc.so.2", true)]
    [InlineData("LD_PRELOAD", "/usr/lib/libfaketime.so", false)]
    [InlineData("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", true)]
    [InlineData("GLIBC_TUNABLES", StaticTls.Room, false)]
    [InlineData("PATH", "/opt/mimalloc/bin", false)]
    public void FindTuning_Variable_IsFoundWhereItTunes(string name, string value, bool tunes) =>
        Assert.Equal(tunes ? name : null, AllocatorEnvironment.FindTuning([("HOME", "/root"), (name, value)]));

    [Theory]
    [InlineData(null, StaticTls.Room)]
    [InlineData("", StaticTls.Room)]
    [InlineData("glibc.mem.tagging=0", $"glibc.mem.tagging=0:{StaticTls.Room}")]
    [InlineData("glibc.rtld.optional_static_tls=512", null)]
    public void WithRoom_Tunables_AsksForItOnce(string? tunables, string? expected) =>
        Assert.Equal(expected, StaticTls.WithRoom(tunables));

    [Fact]
    public void Choose_Filter_LeavesTheRowsThatHaveIt()
    {
        var source = new Contest([Row("alloc 64B"), Row("nested 64B"), Row("alloc 4K")]);

        Assert.Equal(
            ["alloc 64B", "alloc 4K"],
            Assert.Single(RowBenchmark.Choose([source], Options("ALLOC"))).Rows.Select(row => row.Name));
        Assert.Throws<BenchmarkException>(() => RowBenchmark.Choose([source], Options("free")));
    }

    // Against itself, a peer of several rows has one row, with the name of the first of those that are left.
    [Fact]
    public void Choose_FilterAndNoiseFloor_LeavesThePeersOfTheRowsThatHaveIt()
    {
        var (ours, theirs) = (Side("a"), Side("b"));
        var source = new Contest([new PeerRow("alloc", ours, theirs), new PeerRow("free", ours, theirs)]);

        Assert.Equal(
            "free noise",
            Assert.Single(Assert.Single(RowBenchmark.Choose([source], Options("free") with { NoiseFloor = true })).Rows).Name);
    }

    private static PeerRow Row(string name) => new(name, Side("a"), Side("b"));

    private static Contestant Side(string name) => new(() => name, () => new TimedLoad(static _ => 1));

    private static BenchmarkOptions Options(string filter) => new(true, null, filter, [], false);
}
