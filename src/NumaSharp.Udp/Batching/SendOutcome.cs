namespace NumaSharp.Udp.Batching;

/// <summary>The outcome of sends.</summary>
internal struct SendOutcome
{
    /// <summary>Datagrams accepted by the kernel.</summary>
    public long Datagrams;

    /// <summary>Their bytes.</summary>
    public long Bytes;

    /// <summary>Datagrams refused by the kernel.</summary>
    public long Refused;

    /// <summary>Pending errors of earlier datagrams, reported by a send.</summary>
    public long PeerErrors;
}
