using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// The real machines and a made-up one, with files and folders spoilt in every way: the answer is a usable topology or an
/// error that names a file, and it always comes.
/// </summary>
public sealed class RealMachineMutationTests(RealMachines machines)
{
    private const int MaxCpus = 8;
    private const int MaxNodes = 12;

    private const int FewReadings = 5;
    private const int ManyReadings = 40;

    public static TheoryData<string, int> Readings(int readings) =>
        [.. RealMachines.Names.Select(machine => (machine, readings))];

    [Theory]
    [MemberData(nameof(Readings), FewReadings)]
    [MemberData(nameof(Readings), ManyReadings, Traits = new[] { "tier", "deep" })]
    public async Task Read_SpoiltRealMachine_IsUsableOrATypedError(string machine, int readings)
    {
        using var folder = TemporaryFolder.InMemory();
        CopyPart(machines.Find(machine), folder.Path);
        await ReadSpoiltAsync(folder.Path, machine, readings);
    }

    [Fact]
    public async Task Read_SpoiltGeneratedMachine_IsUsableOrATypedError()
    {
        using var tree = MachineTree.CgroupVersion2();
        await ReadSpoiltAsync(WriteHardware(tree), "generated", ManyReadings);
    }

    [Fact]
    public async Task Read_FilesVanishMeanwhile_IsUsableOrATypedError()
    {
        using var tree = MachineTree.CgroupVersion2();
        var root = WriteHardware(tree);
        using var mutator = new TreeMutator(root, seed: 1);
        using var ended = new CancellationTokenSource();
        var vanishing = Task.Run(
            () =>
            {
                while (!ended.IsCancellationRequested)
                {
                    mutator.Remove();
                    mutator.Remove();
                    mutator.Repair();
                }
            },
            TestContext.Current.CancellationToken);
        for (var i = 0; i < ManyReadings; i++)
        {
            await ReadAsync(root, []);
        }

        await ended.CancelAsync();
        await vanishing;
    }

    private static async Task ReadSpoiltAsync(string root, string machine, int readings)
    {
        var errors = 0;
        for (var seed = 0; seed < readings; seed++)
        {
            using var mutator = new TreeMutator(root, seed);
            for (var i = seed % 5; i >= 0; i--)
            {
                mutator.Mutate();
            }

            errors += await ReadAsync(root, mutator.Log) ? 0 : 1;
            mutator.Repair();
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{machine}: {readings} spoilt, {errors} of them refused");
    }

    private static async Task<bool> ReadAsync(string root, IReadOnlyList<string> mutations)
    {
        var provider = RealMachines.ProviderOf(root);
        try
        {
            var reading = Task.Run(provider.Read, TestContext.Current.CancellationToken);
            UsableTopology.Check(await reading.Within());
            _ = provider.ReadStatistics(new(0));
            return true;
        }
        catch (NumaTopologyException exception)
        {
            Assert.StartsWith(root, exception.Path, StringComparison.Ordinal);
            return false;
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            throw new Xunit.Sdk.XunitException($"{string.Join("; ", mutations)}: {exception}");
        }
    }

    private static string WriteHardware(MachineTree tree)
    {
        MachineShape.Uniform(1, 2, 1, coresPerCache: 2, threads: 2).Write(tree);
        tree.Access(1, 0, [0, 1], 1, 2, 3, 4)
            .Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1\n")
            .Write("sys/devices/system/cpu/isolated", "1\n")
            .Write("sys/fs/cgroup/user.slice/cpuset.cpus.partition", "isolated\n")
            .Write("sys/devices/system/node/node1/numastat", "numa_hit 1\n")
            .Write("proc/cmdline", "isolcpus=1\n")
            .Write(MachineTree.Status, "Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n");
        if (!OperatingSystem.IsWindows())
        {
            tree.NetworkDevice("eth0", "0").NetworkDevice("ens3", "1", isVirtio: true);
        }

        return tree.PathOf("");
    }

    // The first CPUs and nodes: of the others' files a reading opens few, and most mutations would not be seen.
    private static void CopyPart(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var entry in new DirectoryInfo(from).EnumerateFileSystemInfos())
        {
            var target = Path.Join(to, entry.Name);
            if (entry.LinkTarget is { } link)
            {
                File.CreateSymbolicLink(target, link);
            }
            else if (entry is FileInfo file)
            {
                file.CopyTo(target);
            }
            else if (!IsBeyond(entry.Name, "cpu", MaxCpus) && !IsBeyond(entry.Name, "node", MaxNodes) && !IsBus(entry.Name))
            {
                CopyPart(entry.FullName, target);
            }
        }
    }

    private static bool IsBus(string name) => name.StartsWith("pci", StringComparison.Ordinal);

    private static bool IsBeyond(string name, string prefix, int count) =>
        name.StartsWith(prefix, StringComparison.Ordinal)
        && int.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
        && number >= count;
}
