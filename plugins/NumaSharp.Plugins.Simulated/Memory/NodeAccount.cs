namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>A node's counters in pages, as in its numastat file.</summary>
internal sealed class NodeAccount
{
    public long Used { get; set; }

    public long Hit { get; set; }

    public long Miss { get; set; }

    public long Foreign { get; set; }

    public long InterleaveHit { get; set; }

    public long Local { get; set; }

    public long Other { get; set; }
}
