namespace NumaSharp.Udp.Batching;

/// <summary>What became of datagrams that were sent.</summary>
internal struct SendOutcome
{
    /// <summary>Datagrams that the kernel has taken.</summary>
    public long Datagrams;

    /// <summary>Their bytes.</summary>
    public long Bytes;

    /// <summary>Datagrams that it has refused.</summary>
    public long Refused;

    /// <summary>Errors that were pending when something was sent, of something sent before.</summary>
    public long PeerErrors;
}
