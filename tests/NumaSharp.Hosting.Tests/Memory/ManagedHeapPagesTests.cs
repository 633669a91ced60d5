using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Tests.Memory;

public sealed class ManagedHeapPagesTests
{
    private const string Maps = "/proc/self/maps";
    private const string NumaMaps = "/proc/self/numa_maps";
    private const int PageBytes = 4096;

    private static readonly byte[] s_anObject = GC.AllocateUninitializedArray<byte>(1, pinned: true);

    // Below the range the collector's own tables, above it the arenas of malloc.
    private const string Workstation = """
        7f3f4776f000-7f3f47796000 rw-p 00000000 00:00 0
        7f3f47796000-7f3f4b440000 ---p 00000000 00:00 0
        7f3f4b440000-7f3f4b610000 rw-p 00000000 00:00 0
        7f3f4b610000-7f3f63000000 ---p 00000000 00:00 0
        7f3f63000000-7f3f634c7000 rw-p 00000000 00:00 0
        7f3f634c7000-7f3f65000000 ---p 00000000 00:00 0
        7f3f65000000-7f3f67b0c000 rw-p 00000000 00:00 0
        7f3f67b0c000-7f4b28000000 ---p 00000000 00:00 0
        7f4b28000000-7f4b28021000 rw-p 00000000 00:00 0
        7f4b28021000-7f4b2c000000 ---p 00000000 00:00 0
        7f4b2d000000-7f4b2d021000 rw-p 00000000 00:00 0
        """;

    // The range begins with a region, and the tables begin at a multiple of a region's size, too.
    private const string Server = """
        7f1fb3483000-7f1fb4000000 ---p 00000000 00:00 0
        7f1fb4000000-7f1fb4208000 rw-p 00000000 00:00 0
        7f1fb4208000-7f2034000000 ---p 00000000 00:00 0
        7f2034000000-7f20344c7000 rw-p 00000000 00:00 0
        7f20344c7000-7f2038000000 ---p 00000000 00:00 0
        7f2038000000-7f203869e000 rw-p 00000000 00:00 0
        7f203869e000-7f6034000000 ---p 00000000 00:00 0
        7f6034000000-7f6034021000 rw-p 00000000 00:00 0
        7f6034021000-7f6038000000 ---p 00000000 00:00 0
        """;

    // Below it an allocator's range that has more in use.
    private const string AboveAllocator = """
        7f0034000000-7f0134000000 rw-p 00000000 00:00 0
        7f0134000000-7f1034000000 ---p 00000000 00:00 0
        7f1034000000-7f1134000000 rw-p 00000000 00:00 0
        7f1134000000-7f2034000000 ---p 00000000 00:00 0
        7f2034000000-7f20344c7000 rw-p 00000000 00:00 0
        7f20344c7000-7f2038000000 ---p 00000000 00:00 0
        7f2038000000-7f203869e000 rw-p 00000000 00:00 0
        7f203869e000-7f6034000000 ---p 00000000 00:00 0
        """;

    // What is reserved above it, such as the range of an allocator, is one mapping with its unused end.
    private const string Reserved = """
        7f2033000000-7f2033021000 rw-p 00000000 00:00 0
        7f2033021000-7f2034000000 ---p 00000000 00:00 0
        7f2034000000-7f20344c7000 rw-p 00000000 00:00 0
        7f20344c7000-7f7034000000 ---p 00000000 00:00 0
        7f7034000000-7f7054000000 rw-p 00000000 00:00 0
        """;

    [Theory]
    [InlineData(Workstation, 0x7f3f63002020UL, 50553028608UL, 48972UL, 0x7f3f62ce0000UL, 0x7f4b28000000UL)]
    [InlineData(Server, 0x7f2034002020UL, 0x4000000000UL, 11600UL, 0x7f2034000000UL, 0x7f6034000000UL)]
    [InlineData(Reserved, 0x7f2034002020UL, 0x4000000000UL, 4892UL, 0x7f2034000000UL, 0x7f6034000000UL)]
    [InlineData(Workstation, 0x7f3f65002020UL, 50553028608UL, 44000UL, 0x7f3f62ce0000UL, 0x7f4b28000000UL)]
    [InlineData(Workstation, 0x7f3f65002020UL, 50553028608UL, 60000UL, 0x7f3f62ce0000UL, 0x7f4b28000000UL)]
    [InlineData(AboveAllocator, 0x7f2034002020UL, 0x4000000000UL, 4000UL, 0x7f2034000000UL, 0x7f6034000000UL)]
    public void Find_InTheMapsOfAProcess_IsTheCollectorsRange(
        string maps, ulong anObject, ulong size, ulong committedKilobytes, ulong start, ulong end)
    {
        var range = ManagedHeapRange.Find(maps.Split('\n'), anObject, size, committedKilobytes << 10);

        // The first page may be missing where the mapping before it has no access, either.
        Assert.Equal((start - (64 << 10), end), range);
    }

    // A mapping that the kernel has joined to the range's end, smaller than what is before the object: the end is wrong, and what
    // the collector has says so.
    [Fact]
    public void Find_LittleIsReservedAbove_IsNotTakenForTheEnd()
    {
        const ulong Size = 0x4000000000;
        const ulong AnObject = 0x7f20e4000020;
        string[] maps =
        [
            "7f2034000000-7f20b4000000 rw-p 00000000 00:00 0",
            "7f20b4000000-7f20e4000000 ---p 00000000 00:00 0",
            "7f20e4000000-7f20e4100000 rw-p 00000000 00:00 0",
            "7f20e4100000-7f6074000000 ---p 00000000 00:00 0",
        ];
        Assert.Equal(
            (0x7f2034000000 - (64UL << 10), 0x7f2034000000 + Size),
            ManagedHeapRange.Find(maps, AnObject, Size, committed: 2UL << 30));
        Assert.Null(ManagedHeapRange.Find(maps, AnObject, Size, committed: 8UL << 30));
        Assert.Null(ManagedHeapRange.Find(maps, AnObject, Size, committed: 100UL << 20));
        Assert.Null(ManagedHeapRange.Find(maps, AnObject, Size, committed: null));
    }

    // The collector has committed or given back memory between two of the kernel's pages of lines.
    [Theory]
    [InlineData("7f2034000000-7f20344d7000 rw-p 00000000 00:00 0", "7f20344d7000-7f6034000000 ---p 00000000 00:00 0")]
    [InlineData("7f20344b7000-7f6034000000 ---p 00000000 00:00 0")]
    public void Find_AMappingComesAgain_TakesItsLastForm(params string[] after) => Assert.Equal(
        (0x7f2034000000 - (64UL << 10), 0x7f6034000000UL),
        ManagedHeapRange.Find(
            ["7f2034000000-7f20344c7000 rw-p 00000000 00:00 0", .. after], 0x7f2034002020, 0x4000000000, 4892UL << 10));

    [Fact]
    public void Find_CommittedUnknown_IsWhatCanBeNoOther()
    {
        var maps = AboveAllocator.Split('\n')[4..];
        Assert.Equal(
            (0x7f2034000000 - (64UL << 10), 0x7f6034000000UL),
            ManagedHeapRange.Find(maps, 0x7f2034002020, 0x4000000000, committed: null));
    }

    [Theory]
    [InlineData(0x7f3f63002020UL, 1UL << 50)]
    [InlineData(0x7f3f00000000UL, 50553028608UL)]
    [InlineData(0x7f4b2d000010UL, 50553028608UL)]
    [InlineData(0x7f3f63002020UL, 0UL)]
    public void Find_NoRangeThatFits_IsNone(ulong anObject, ulong size) =>
        Assert.Null(ManagedHeapRange.Find(Workstation.Split('\n'), anObject, size, 1 << 20));

    [Fact]
    public void Sum_LinesOfARange_AreAddedByNode()
    {
        string[] lines =
        [
            "7f0000000000 default anon=9 N0=9 kernelpagesize_kB=4",
            "7f1000000000 default",
            "7f1000001000 prefer:1 anon=7 dirty=7 N0=3 N1=4 kernelpagesize_kB=4",
            "7f1000200000 bind:0-1 huge anon=2 N1=2 kernelpagesize_kB=2048",
            "7f2000000000 default file=/lib/N7=1 mapped=5 N3=5 kernelpagesize_kB=4",
        ];
        Assert.Equal(
            [new HeapOnNode(new(0), 3 * 4096), new HeapOnNode(new(1), (4 * 4096) + (4 << 20))],
            ManagedHeapPages.Sum(lines, (0x7f1000000000, 0x7f2000000000)));
    }

    [Fact]
    public void Read_ThisProcess_HasWhatItHasWritten()
    {
        Assert.SkipUnless(File.Exists(NumaMaps), $"This kernel has no {NumaMaps}.");
        Assert.SkipUnless(ManagedHeapPages.RangeBytes > 0, "This collector has no regions.");
        const int Bytes = 32 << 20;
        var array = new byte[Bytes];
        array.AsSpan().Fill(1);
        GC.Collect();
        var parts = new ManagedHeapPages("/proc/self", time: null).Read();
        Assert.NotEmpty(parts);
        Assert.InRange(parts.Sum(static part => part.Bytes), Bytes, PeakBytes());
        GC.KeepAlive(array);
    }

    [Fact]
    public void Read_WithinAMinute_DoesNotReadAgain()
    {
        using var folder = FolderOfThisProcess();
        Write(folder, pages: 1);
        var time = new ManualTime();
        var heap = new ManagedHeapPages(folder.Path, time);
        Assert.Equal(1 * PageBytes, Assert.Single(heap.Read()).Bytes);
        Write(folder, pages: 2);
        time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(1 * PageBytes, Assert.Single(heap.Read()).Bytes);
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(new HeapOnNode(new(1), 2 * PageBytes), Assert.Single(heap.Read()));
    }

    // A second of ten thousand.
    [Fact]
    public void Read_TakesASecond_IsRarer()
    {
        using var folder = FolderOfThisProcess();
        Write(folder, pages: 1);
        var time = new ManualTime();
        var heap = new ManagedHeapPages(folder.Path, time);
        time.OnNextReading = () => time.OnNextReading = () => time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1 * PageBytes, Assert.Single(heap.Read()).Bytes);
        Write(folder, pages: 2);
        time.Advance(TimeSpan.FromSeconds(9_999));
        Assert.Equal(1 * PageBytes, Assert.Single(heap.Read()).Bytes);
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(2 * PageBytes, Assert.Single(heap.Read()).Bytes);
    }

    [Fact]
    public void Read_FileThatDisappears_IsNothing()
    {
        using var folder = new TemporaryFolder();
        File.WriteAllText(folder.PathOf("numa_maps"), "");
        var heap = new ManagedHeapPages(folder.Path, time: null);
        Assert.Empty(heap.Read());
    }

    [Fact]
    public void Read_NoFiles_IsNothing()
    {
        using var folder = new TemporaryFolder();
        Assert.Empty(new ManagedHeapPages(folder.Path, time: null).Read());
        Assert.Empty(new ManagedHeapPages(folder: null, time: null).Read());
    }

    // The collector's range is found in it.
    private static TemporaryFolder FolderOfThisProcess()
    {
        Assert.SkipUnless(File.Exists(Maps), $"This system has no {Maps}.");
        Assert.SkipUnless(ManagedHeapPages.RangeBytes > 0, "This collector has no regions.");
        GC.Collect();
        var folder = new TemporaryFolder();
        File.WriteAllLines(folder.PathOf("maps"), File.ReadLines(Maps));
        return folder;
    }

    private static void Write(TemporaryFolder folder, int pages) => File.WriteAllText(
        folder.PathOf("numa_maps"),
        string.Create(
            CultureInfo.InvariantCulture,
            $"{Marshal.UnsafeAddrOfPinnedArrayElement(s_anObject, 0) & -PageBytes:x} default N1={pages} kernelpagesize_kB=4\n"));

    private static long PeakBytes() => long.Parse(
        File.ReadLines("/proc/self/status").First(static line => line.StartsWith("VmHWM:", StringComparison.Ordinal))
            .Split(' ', StringSplitOptions.RemoveEmptyEntries)[1],
        CultureInfo.InvariantCulture) << 10;
}
