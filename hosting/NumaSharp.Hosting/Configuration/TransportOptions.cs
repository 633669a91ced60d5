namespace NumaSharp.Hosting;

/// <summary>Kestrel's transport: section <c>Numa:Transport</c>.</summary>
public sealed class TransportOptions
{
    /// <summary>Whether the NUMA transport serves; Kestrel's own does otherwise, and wherever ours cannot (off Linux).</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>Where the code behind a connection runs.</summary>
    /// <value>Default <see cref="TransportDispatch.Adaptive"/>.</value>
    public TransportDispatch Dispatch { get; set; }

    /// <summary>How many event loops a node gets.</summary>
    /// <value>Default 0: as many as the node has CPUs in the plan; up to 4096.</value>
    public int LoopsPerNode { get; set; }

    /// <summary>How long application code may hold an event loop before its connection counts as one that blocks.</summary>
    /// <value>Default 1 ms; from 10 µs to 1 minute.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>How many connections may wait to be accepted, per listening socket (listen(2)).</summary>
    /// <value>Default 512; from 1 to 65535. The kernel cuts it to net.core.somaxconn.</value>
    public int Backlog { get; set; } = 512;

    /// <summary>Whether small segments are sent at once (TCP_NODELAY).</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool NoDelay { get; set; } = true;

    /// <summary>How many received bytes may wait for the application before receiving pauses.</summary>
    /// <value>Default 1 MiB; 0 for no limit; up to 1 GiB.</value>
    public long MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>How many bytes may wait to be sent before the application waits.</summary>
    /// <value>Default 64 KiB; 0 for no limit; up to 1 GiB.</value>
    public long MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>Whether a connection takes a receive buffer only when there is something to receive.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool WaitForDataBeforeAllocatingBuffer { get; set; } = true;
}
