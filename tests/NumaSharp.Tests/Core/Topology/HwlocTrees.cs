using System.Collections.Concurrent;
using NumaSharp.Core;

[assembly: AssemblyFixture(typeof(NumaSharp.Tests.Core.Topology.HwlocTrees))]

namespace NumaSharp.Tests.Core.Topology;

/// <summary>The real machines' trees, each unpacked once for all tests, which only read them.</summary>
public sealed class HwlocTrees : IDisposable
{
    private readonly ConcurrentDictionary<string, Lazy<TemporaryTree>> _trees = [];

    /// <summary>The folder that has a machine's sys and proc; skips where there is none.</summary>
    public string Find(string machine) => _trees.GetOrAdd(machine, static name => new(() => new TemporaryTree(name))).Value.Root;

    public NumaTopology Read(string machine) => new LinuxTopologyProvider(new LinuxTopologyOptions
    {
        SysfsRoot = Path.Join(Find(machine), "sys"),
        ProcRoot = Path.Join(Find(machine), "proc"),
    }).Read();

    public void Dispose()
    {
        foreach (var tree in _trees.Values.Where(static tree => tree.IsValueCreated))
        {
            tree.Value.Dispose();
        }
    }

    private sealed class TemporaryTree : IDisposable
    {
        private readonly TemporaryFolder _folder = new();

        public TemporaryTree(string machine)
        {
            try
            {
                Root = HwlocArchives.Extract(HwlocArchives.Expected(machine).GetProperty("archive").GetString()!, _folder.Path);
            }
            catch
            {
                _folder.Dispose();
                throw;
            }
        }

        public string Root { get; }

        public void Dispose() => _folder.Dispose();
    }
}
