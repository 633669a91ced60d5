namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>What every suite without Kestrel has: connections of the transport alone.</summary>
public abstract class RawSuite(TransportFixture transport)
{
    /// <summary>More than the kernel takes for a connection with small buffers whose client does not read.</summary>
    private protected const int MoreThanKernelTakes = 2 * 1024 * 1024;

    private protected const int SmallBuffer = 32 * 1024;

    protected TransportFixture Transport { get; } = transport;

    private protected Task<RawConnection> OpenAsync(TransportLimits? limits = null) =>
        Transport.OpenAsync(limits ?? TransportLimits.Default, receiveBuffer: null);

    /// <summary>A connection that soon has no room, neither in the kernel nor, with the transport's own limits, in it.</summary>
    private protected Task<RawConnection> OpenSmallAsync(TransportLimits? limits = null) =>
        Transport.OpenAsync((limits ?? TransportLimits.Default) with { KernelBuffers = SmallBuffer }, SmallBuffer);
}
