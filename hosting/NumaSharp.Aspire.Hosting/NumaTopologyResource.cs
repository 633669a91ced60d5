using NumaSharp.Core;

namespace Aspire.Hosting.ApplicationModel;

/// <summary>
/// The machine of the AppHost on the dashboard: its nodes, what is fenced to them, and the NUMA pages of the applications. It is
/// not deployed. Thread-safe.
/// </summary>
public sealed class NumaTopologyResource : Resource
{
    private readonly INumaTopologyProvider _provider;
    private volatile NumaTopology _topology;

    /// <summary>Reads the machine.</summary>
    /// <param name="name">The resource's name.</param>
    /// <param name="provider">Who reads it.</param>
    /// <param name="isThisMachine">Whether that is the machine of the AppHost, not a simulated or captured one.</param>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    internal NumaTopologyResource(string name, INumaTopologyProvider provider, bool isThisMachine)
        : base(name)
    {
        IsThisMachine = isThisMachine;
        _provider = provider;
        _topology = provider.Read();
    }

    /// <summary>The machine as it was read last.</summary>
    public NumaTopology Topology => _topology;

    internal bool IsThisMachine { get; }

    /// <summary>Reads the machine again: CPUs may have gone, cpusets changed.</summary>
    /// <returns>The machine as it is now.</returns>
    /// <exception cref="NumaException">The machine cannot be read; <see cref="Topology"/> stays.</exception>
    internal NumaTopology ReadAgain() => _topology = _provider.Read();
}
