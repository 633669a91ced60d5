using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Things in the file system that are no kernel files: no crash, no hang.</summary>
public sealed class HostileFileTests
{
    private const string Cpumap = "sys/devices/system/node/node1/cpumap";

    private static void AssertCpulistIsUsed(MachineTree tree)
    {
        var topology = tree.Read();
        Assert.Equal("4-7", topology.FindNode(new(1))!.Cpus.ToString());
        Assert.Contains(topology.Warnings, warning => warning.StartsWith(tree.PathOf(Cpumap), StringComparison.Ordinal));
    }

    [Fact]
    public void Read_LoopOfLinks_IsRefused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        AssertCpulistIsUsed(tree.Link(Cpumap, "cpumap2").Link("sys/devices/system/node/node1/cpumap2", "cpumap"));
    }

    [Fact]
    public void Read_NodeDirectoryIsALoopOfLinks_IsLeftOut()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        tree.Delete("sys/devices/system/node/node1").Link("sys/devices/system/node/node1", "node1");
        var topology = tree.Read();

        Assert.Equal("0-7", topology.AllowedCpus.ToString());
        Assert.NotEmpty(topology.Warnings);
    }

    [Fact]
    public void Read_EndlessDevice_IsCut()
    {
        Assert.SkipUnless(File.Exists("/dev/zero"), "There is no /dev/zero.");
        using var tree = MachineTree.TwoNodes();
        AssertCpulistIsUsed(tree.Link(Cpumap, "/dev/zero"));
    }

    [Fact]
    public void Read_GiganticFile_IsCut()
    {
        using var tree = MachineTree.TwoNodes();
        AssertCpulistIsUsed(tree.Write(Cpumap, new string('0', KernelFile.DefaultLimit) + "f0"));
    }

    [Fact]
    public void Read_DirectoryInPlaceOfAFile_IsRefused()
    {
        using var tree = MachineTree.TwoNodes();
        AssertCpulistIsUsed(tree.Delete(Cpumap).Write($"{Cpumap}/file", ""));
    }

    [Fact]
    public async Task Read_FifoInPlaceOfAFile_DoesNotWaitForAWriter()
    {
        ExternalProgram.SkipUnlessThere("mkfifo");
        using var tree = MachineTree.TwoNodes();
        tree.Delete(Cpumap);
        await ExternalProgram.RunAsync("mkfifo", tree.PathOf(Cpumap));

        await Task.Run(() => AssertCpulistIsUsed(tree), TestContext.Current.CancellationToken).Within();
    }

    [Fact]
    public void Read_UnreadableFile_IsNamed()
    {
        if (!OperatingSystem.IsLinux() || Environment.IsPrivilegedProcess)
        {
            Assert.Skip("File modes are needed, and root reads everything.");
            return;
        }

        using var tree = MachineTree.TwoNodes();
        File.SetUnixFileMode(tree.PathOf(Cpumap), UnixFileMode.None);
        AssertCpulistIsUsed(tree);
    }

    [Fact]
    public void Read_FileThatFailsToRead_IsNamed()
    {
        Assert.SkipUnless(File.Exists("/proc/self/mem"), "There is no /proc/self/mem, whose first page cannot be read.");
        using var tree = MachineTree.TwoNodes();
        AssertCpulistIsUsed(tree.Link(Cpumap, "/proc/self/mem"));
    }

    [Fact]
    public void Read_MountPointWithParentDirectories_IsNotFollowed()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", "cgroup2 /sys/../../../../etc cgroup2 rw 0 0\ncgroup2 relative cgroup2 rw 0 0\n")
            .Write("proc/self/cgroup", "0::/\n");

        Assert.Equal("0-7", tree.Read().AllowedCpus.ToString());
    }

    [Fact]
    public void Read_ManyMountsAndADeepCgroup_IsBounded()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", string.Concat(Enumerable.Repeat("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", 50_000)))
            .Write("proc/self/cgroup", "0::" + string.Concat(Enumerable.Repeat("/a", 100_000)));

        Assert.Equal("0-7", tree.Read().AllowedCpus.ToString());
    }

    [Fact]
    public void Read_ListsThatCostMuch_AreRefusedQuickly()
    {
        using var tree = MachineTree.TwoNodes();
        var list = string.Concat(Enumerable.Repeat("0-65535:1/2,", 18_000));
        AssertCpulistIsUsed(tree.Write(Cpumap, "?").Write("sys/devices/system/node/possible", list));
    }

    [Fact]
    public void Read_NulInACgroupPath_IsHarmless()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("proc/self/cgroup", "0::/user.slice/a\0b\n");

        Assert.Equal("0-2", tree.Read().AllowedCpus.ToString());
    }
}
