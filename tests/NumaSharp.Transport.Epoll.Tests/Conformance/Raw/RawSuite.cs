namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>What every suite without Kestrel has: connections of the transport alone.</summary>
public abstract class RawSuite(TransportFixture transport)
{
    /// <summary>More than the kernel takes for a connection whose client does not read.</summary>
    private protected const int MoreThanKernelTakes = 32 * 1024 * 1024;

    private protected const int SmallReceiveBuffer = 16 * 1024;

    protected TransportFixture Transport { get; } = transport;

    private protected Task<RawConnection> OpenAsync(TransportLimits? limits = null, int? receiveBuffer = null) =>
        Transport.OpenAsync(limits ?? TransportLimits.Default, receiveBuffer);
}
