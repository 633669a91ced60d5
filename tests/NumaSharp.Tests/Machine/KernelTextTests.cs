using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

public sealed class KernelTextTests
{
    [Theory]
    [InlineData("MemTotal:  4 kB\nMemFree: 1 kB", 4096, 1024)]
    [InlineData("\nNode 3 MemTotal:       16709376 kB\nNode 3 MemFree:   16 kB\n", 17110401024, 16384)]
    [InlineData("MemTotal: 4 kB", 4096, 0)]
    [InlineData("MemTotal: 4 kB\nMemFree: 8 kB", 4096, 4096)]
    [InlineData("MemTotal: 9007199254740991 kB", 9223372036854774784, 0)]
    public void TryParseMeminfo_KernelText_GivesBytes(string text, long total, long free)
    {
        Assert.True(KernelText.TryParseMeminfo(text, out var memory));
        Assert.Equal(new NodeMeminfo(total, free), memory);
    }

    [Theory]
    [InlineData("")]
    [InlineData("MemTotal:")]
    [InlineData("MemTotal: kB")]
    [InlineData("MemTotal: 4")]
    [InlineData("MemTotal: 0x4 kB")]
    [InlineData("MemTotal: 9007199254740992 kB")]
    public void TryParseMeminfo_Malformed_IsRefused(string text) => Assert.False(KernelText.TryParseMeminfo(text, out _));

    [Theory]
    [InlineData("10", new[] { 10 })]
    [InlineData(" 10\t21 255\n", new[] { 10, 21, 255 })]
    public void TryParseDistances_KernelText_GivesRow(string text, int[] expected)
    {
        Assert.True(KernelText.TryParseDistances(text, out var row));
        Assert.Equal(expected, row);
    }

    [Theory]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("9")]
    [InlineData("10 256")]
    [InlineData("10,20")]
    [InlineData("-10")]
    public void TryParseDistances_Malformed_IsRefused(string text) => Assert.False(KernelText.TryParseDistances(text, out _));

    [Theory]
    [InlineData("Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", "Cpus_allowed", "3")]
    [InlineData("Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", "Cpus_allowed_list", "0-1")]
    [InlineData("Node : 7", "Node", "7")]
    [InlineData("Mems_allowed:", "Mems_allowed", "")]
    public void TryFindField_KernelText_GivesValue(string text, string name, string expected)
    {
        Assert.True(KernelText.TryFindField(text, name, out var value));
        Assert.Equal(expected, value.ToString());
    }

    [Theory]
    [InlineData("", "Node")]
    [InlineData("Nodes: 7", "Node")]
    [InlineData("x Node: 7", "Node")]
    [InlineData("Node 7", "Node")]
    public void TryFindField_Absent_IsRefused(string text, string name) =>
        Assert.False(KernelText.TryFindField(text, name, out _));

    [Theory]
    [InlineData("3:cpuset:/job\n0::/unified", false, "/job")]
    [InlineData("3:cpu,cpuset:/a:b\n", false, "/a:b")]
    [InlineData("3:cpuset:/job\n0::/unified", true, "/unified")]
    public void CgroupPath_KernelText_IsFound(string text, bool isVersion2, string expected)
    {
        Assert.True(CgroupPath.TryFind(text, "cpuset", isVersion2, out var path));
        Assert.Equal(expected, path);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("cpuset", false)]
    [InlineData("3:cpuset", false)]
    [InlineData("3:cpusets:/job", false)]
    [InlineData("3:cpuset:/job", true)]
    public void CgroupPath_Absent_IsNotFound(string text, bool isVersion2) =>
        Assert.False(CgroupPath.TryFind(text, "cpuset", isVersion2, out _));

    [Fact]
    public void MountTable_BothVersions_Version1HasTheController()
    {
        var mounts = MountTable.Find(
            "cgroup2 /u cgroup2 rw 0 0\ncgroup /cpu cgroup rw,cpu 0 0\n"
            + "cgroup /set cgroup rw,cpuset,cpuset_v2_mode 0 0\nx /y cpuset rw 0 0",
            "cpuset");

        Assert.Equal([new("/set", false, true), new CgroupMount("/y", false, false)], mounts);
    }

    [Theory]
    [InlineData(@"c /a\040b\134c cgroup2 rw", @"/a b\c")]
    [InlineData(@"c /a\9\04 cgroup2 rw", @"/a\9\04")]
    public void MountTable_EscapedPath_IsUnescaped(string line, string expected) =>
        Assert.Equal(expected, Assert.Single(MountTable.Find(line, "cpuset")).Point);

    [Theory]
    [InlineData("")]
    [InlineData("cgroup2 /x")]
    [InlineData("cgroup2 /x cgroup2")]
    [InlineData("cgroup /x cgroup rw,cpusets 0 0")]
    public void MountTable_NoCpuset_IsEmpty(string text) => Assert.Empty(MountTable.Find(text, "cpuset"));
}
