namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>What a test of a bare transport may set; the defaults are Kestrel's.</summary>
public sealed record TransportLimits
{
    public static TransportLimits Default { get; } = new();

    /// <summary>Unread bytes at which the transport stops receiving; null for no limit.</summary>
    public long? MaxReadBufferSize { get; init; } = 1024 * 1024;

    /// <summary>Unsent bytes at which a flush waits; null for no limit.</summary>
    public long? MaxWriteBufferSize { get; init; } = 64 * 1024;

    /// <summary>
    /// The kernel's buffers at the transport's end (SO_RCVBUF, SO_SNDBUF) in bytes, each; null for those that grow with what
    /// passes (tcp_rmem, tcp_wmem: up to 32 MiB). A Unix socket is accepted with the system's, which do not grow.
    /// </summary>
    public int? KernelBuffers { get; init; }
}
