using System.Diagnostics;
using System.Formats.Tar;
using System.IO.Compression;
using System.Text;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Snapshot;

public sealed class SnapshotCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Archive => Path.Join(_folder.Path, "snapshot.tar.gz");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Run_ThisMachine_GivesTheSameTopology()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has /sys and /proc.");
        var live = await ToolRun.Of("topology", "--format", "json");
        var run = await ToolRun.Of("snapshot", "--output", Archive);
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.StartsWith(Archive, run.Output, StringComparison.Ordinal);

        var captured = await ToolRun.Of("topology", "--root", Archive, "--format", "json");

        SnapshotAssert.SameTopologyOfALiveMachine(live.Json, captured.Json);
    }

    // Two processes on one machine write the same bytes.
    [Fact]
    public async Task Run_Archive_DoesNotHoldOurProcessId()
    {
        using var tree = MachineTree.TwoNodes();
        var run = await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", Archive);
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);

        using var unzipped = new GZipStream(File.OpenRead(Archive), CompressionMode.Decompress);
        using var reader = new StreamReader(unzipped, Encoding.Latin1);
        var text = await reader.ReadToEndAsync(TestContext.Current.CancellationToken);

        Assert.Contains("numasharp-snapshot/sys/", text, StringComparison.Ordinal);
        Assert.DoesNotContain("PaxHeaders", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_OutputWithoutAName_IsRefused()
    {
        var run = await ToolRun.Of("snapshot", "--output", "");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith("--output ''", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_AnotherProcess_HasItsAffinity()
    {
        ExternalProgram.SkipUnlessThere("taskset");
        var cpu = NumaSharp.Core.NumaTopology.Instance.AllowedCpus.First;
        await using (var other = ExternalProgram.Start(new ProcessStartInfo("taskset", ["-c", $"{cpu}", "sleep", "1000"])))
        {
            await Wait.UntilAsync(() => File.ReadLines($"/proc/{other.Id}/status").Contains($"Cpus_allowed_list:\t{cpu}"));
            await ToolRun.Of("snapshot", "--output", Archive, "--pid", $"{other.Id}");
        }

        var captured = await ToolRun.Of("topology", "--root", Archive, "--format", "json");
        Assert.Equal($"{cpu}", captured.Json.GetProperty("allowedCpus").GetString());
    }

    [Fact]
    public async Task Run_ProcessThatIsNone_IsRefused()
    {
        using var tree = MachineTree.TwoNodes();
        var run = await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", Archive, "--pid", "77");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Equal("--pid '77': there is no such process.", run.ErrorLine);
        Assert.False(File.Exists(Archive));
    }

    [Fact]
    public async Task Run_FileThatIsThere_IsNotOverwritten()
    {
        using var tree = MachineTree.TwoNodes();
        await File.WriteAllTextAsync(Archive, "mine", TestContext.Current.CancellationToken);
        var run = await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", Archive);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains("already exists", run.ErrorLine, StringComparison.Ordinal);
        Assert.Equal("mine", await File.ReadAllTextAsync(Archive, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Run_Trees_GiveTheSameTopologyAndTheSameBytes()
    {
        foreach (var make in new List<Func<MachineTree>>
        {
            MachineTree.CpulessNode, MachineTree.WithoutNuma, MachineTree.OfflineCpus, MachineTree.SparseIds,
            MachineTree.AllCpusEverywhere, MachineTree.CgroupVersion1, MachineTree.CgroupVersion2,
        })
        {
            using var tree = make();
            using var folder = new TemporaryFolder();
            var (first, second) = (Path.Join(folder.Path, "1.tar.gz"), Path.Join(folder.Path, "2.tar.gz"));
            await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", first);
            await ToolRun.Of("snapshot", "--root", first, "--output", second);

            var expected = await ToolRun.Of("topology", "--root", tree.PathOf(""), "--format", "json");
            var actual = await ToolRun.Of("topology", "--root", first, "--format", "json");
            SnapshotAssert.SameTopology(expected.Json, actual.Json);
            Assert.Equal(File.ReadAllBytes(first), File.ReadAllBytes(second));
        }
    }

    [Fact]
    public async Task Run_FilesThatTellMore_AreCutDown()
    {
        using var tree = MachineTree.TwoNodes()
            .Write("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=secret isolcpus=2,3 \"numa=off\" -- numa=off secret\n")
            .Write("proc/self/status", "Name:\tsecret\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n")
            .Write("proc/self/cgroup", "5:devices:/secret\n3:cpuset:/job\n0::/x\n")
            .Write("proc/mounts", "secret:/export /mnt nfs rw,addr=10.0.0.1 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
            .Write("proc/sys/kernel/hostname", "secret\n")
            .Write("sys/class/net/enx001122334455/device/numa_node", "1\n")
            .Write("sys/class/net/enx001122334455/device/msi_irqs/40", "msix\n")
            .Write("sys/class/net/enx001122334455/queues/tx-0/xps_cpus", "0f\n")
            .Write("sys/kernel/irq/40/actions", "ice-enx001122334455-TxRx-0\n")
            .Write("sys/class/net/enx001122334455/address", "00:11:22:33:44:55\n");
        await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", Archive);

        var files = ReadArchive();
        Assert.DoesNotContain(files, static file => file.Key.Contains("001122334455", StringComparison.Ordinal));
        Assert.DoesNotContain(files, static file => file.Value.Contains("secret", StringComparison.Ordinal));
        Assert.DoesNotContain(files, static file => file.Value.Contains("00:11", StringComparison.Ordinal));
        Assert.DoesNotContain(files, static file => file.Value.Contains("001122334455", StringComparison.Ordinal));
        Assert.Equal("ice-enx-1-TxRx-0\n", files["sys/kernel/irq/40/actions"]);
        Assert.Equal("0f\n", files["sys/class/net/enx-1/queues/tx-0/xps_cpus"]);
        Assert.Equal("isolcpus=2,3 \"numa=off\"\n", files["proc/cmdline"]);
        Assert.Equal("Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n", files["proc/self/status"]);
        Assert.Equal("3:cpuset:/job\n0::/x\n", files["proc/self/cgroup"]);
        Assert.Equal("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", files["proc/mounts"]);
        var device = Assert.Single(files, static file => file.Key.EndsWith("numa_node", StringComparison.Ordinal));
        Assert.Equal("sys/class/net/enx-1/device/numa_node", device.Key);
    }

    [Fact]
    public async Task Run_DeviceWhoseBusIsAbove_HasItsNodeAndInterrupts()
    {
        using var tree = MachineTree.TwoNodes()
            .Write("sys/devices/pci0/0000:01/numa_node", "1\n")
            .Write("sys/devices/pci0/0000:01/msi_irqs/40", "msix\n")
            .Write("sys/devices/pci0/0000:01/virtio0/status", "7\n")
            .Write("proc/irq/40/effective_affinity_list", "0\n")
            .Write("sys/devices/pci0/0000:01/virtio0/net/eth0/type", "1\n")
            .Link("sys/devices/pci0/0000:01/virtio0/net/eth0/device", "../../../virtio0")
            .Link("sys/class/net/eth0", "../../devices/pci0/0000:01/virtio0/net/eth0");
        await ToolRun.Of("snapshot", "--root", tree.PathOf(""), "--output", Archive);

        var files = ReadArchive();
        Assert.Equal("1\n", files["sys/class/net/eth0/device/numa_node"]);
        Assert.Equal("0\n", files["proc/irq/40/effective_affinity_list"]);
        Assert.Contains("sys/class/net/eth0/device/msi_irqs/40", files.Keys);
    }

    private Dictionary<string, string> ReadArchive()
    {
        const string Top = "numasharp-snapshot/";
        using var zipped = new GZipStream(File.OpenRead(Archive), CompressionMode.Decompress);
        using var reader = new TarReader(zipped);
        var files = new Dictionary<string, string>();
        while (reader.GetNextEntry() is { } entry)
        {
            Assert.StartsWith(Top, entry.Name, StringComparison.Ordinal);
            using var content = new StreamReader(entry.DataStream ?? Stream.Null, Encoding.Latin1);
            files.Add(entry.Name[Top.Length..].TrimEnd('/'), content.ReadToEnd());
        }

        return files;
    }
}
