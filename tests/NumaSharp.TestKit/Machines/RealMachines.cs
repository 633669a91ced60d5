using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>The real machines of tests/Machines, each laid out once for all tests of an assembly, which only read it.</summary>
public sealed class RealMachines : IDisposable
{
    private readonly ConcurrentDictionary<string, Lazy<Tree>> _trees = [];

    /// <summary>Where the files of facts are.</summary>
    public static string Folder { get; } = Repository.PathOf("tests", "Machines");

    public static IReadOnlyList<string> Names { get; } =
    [
        .. Directory.EnumerateFiles(Folder, "*.machine")
            .Select(static path => Path.GetFileNameWithoutExtension(path))
            .Order(StringComparer.Ordinal),
    ];

    public static MachineFacts Facts(string machine) => MachineFactsParser.ParseFile(Path.Join(Folder, $"{machine}.machine"));

    /// <summary>The folder that has the machine's sys and proc.</summary>
    public string Find(string machine) => _trees.GetOrAdd(machine, static name => new(() => new Tree(Facts(name)))).Value.Root;

    public NumaTopology Read(string machine) => ProviderOf(Find(machine)).Read();

    /// <summary>A provider that reads the tree in a folder.</summary>
    public static LinuxTopologyProvider ProviderOf(string root) => new(new LinuxTopologyOptions
    {
        SysfsRoot = Path.Join(root, "sys"),
        ProcRoot = Path.Join(root, "proc"),
    });

    public void Dispose()
    {
        foreach (var tree in _trees.Values.Where(static tree => tree.IsValueCreated))
        {
            tree.Value.Dispose();
        }
    }

    private sealed class Tree : IDisposable
    {
        private readonly TemporaryFolder _folder = TemporaryFolder.InMemory();

        public Tree(MachineFacts facts)
        {
            try
            {
                MachineLayout.Write(facts, _folder.Path);
            }
            catch
            {
                _folder.Dispose();
                throw;
            }
        }

        public string Root => _folder.Path;

        public void Dispose() => _folder.Dispose();
    }
}
