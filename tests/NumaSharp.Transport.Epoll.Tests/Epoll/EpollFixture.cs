using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Our transport, with one way of dispatching.</summary>
public abstract class EpollFixture : TransportFixture
{
    private readonly NumaTaskScheduler _scheduler = new(NumaSchedulingPolicy.LocalityFirst);
    private readonly EpollDispatchMode _dispatch;

    protected EpollFixture(EpollDispatchMode dispatch)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _dispatch = dispatch;
    }

    public override bool ReadsAhead => false;

    public override void Configure(IWebHostBuilder host) =>
        host.UseNumaSharpTransport(CreateEpollFactory(new EpollTransportOptions()));

    public override IConnectionListenerFactory CreateFactory(TransportLimits limits)
    {
        ArgumentNullException.ThrowIfNull(limits);
        return CreateEpollFactory(OptionsOf(limits));
    }

    private protected static EpollTransportOptions OptionsOf(TransportLimits limits) => new()
    {
        MaxReadBufferSize = limits.MaxReadBufferSize,
        MaxWriteBufferSize = limits.MaxWriteBufferSize,
    };

    private protected EpollTransportFactory CreateEpollFactory(EpollTransportOptions options)
    {
        options.Dispatch = _dispatch;

        // Its loops end with its last listener.
        return new EpollTransportFactory(_scheduler, options);
    }
}
