using NumaSharp.Core;

namespace Aspire.Hosting.ApplicationModel;

/// <summary>
/// The AppHost's machine on the dashboard: its nodes, the resources fenced to them, and the NUMA pages of the applications. It is
/// not deployed. Thread-safe.
/// </summary>
public sealed class NumaTopologyResource : Resource
{
    private readonly INumaTopologyProvider _provider;
    private volatile NumaTopology _topology;

    /// <summary>Reads the machine.</summary>
    /// <param name="name">The resource's name.</param>
    /// <param name="provider">Reads it.</param>
    /// <param name="isThisMachine">Whether it is the AppHost's machine, not a simulated or captured one.</param>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    internal NumaTopologyResource(string name, INumaTopologyProvider provider, bool isThisMachine)
        : base(name)
    {
        IsThisMachine = isThisMachine;
        _provider = provider;
        _topology = provider.Read();
    }

    /// <summary>The machine as last read.</summary>
    public NumaTopology Topology => _topology;

    internal bool IsThisMachine { get; }

    /// <summary>Reads the machine again: CPUs may have been removed, cpusets changed.</summary>
    /// <returns>The current machine.</returns>
    /// <exception cref="NumaException">The machine cannot be read; <see cref="Topology"/> is unchanged.</exception>
    internal NumaTopology ReadAgain() => _topology = _provider.Read();
}
