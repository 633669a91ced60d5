using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
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

    // As UseNumaSharpTransport, with the host's loggers: a test that fails prints what the transport has said.
    public override void Configure(IWebHostBuilder host, TransportLimits limits) => host.ConfigureServices(services => services
        .AddSingleton<IConnectionListenerFactory>(provider =>
            CreateEpollFactory(OptionsOf(limits), provider.GetRequiredService<ILoggerFactory>())));

    public override bool HasNoDelay(ConnectionContext connection)
    {
        const int Tcp = 6;
        const int NoDelay = 1;
        Assert.True(Assert.IsType<EpollConnection>(connection).Socket.GetOption(Tcp, NoDelay, out var value).Succeeded);
        return value != 0;
    }

    public override IConnectionListenerFactory CreateFactory(TransportLimits limits)
    {
        ArgumentNullException.ThrowIfNull(limits);
        return CreateEpollFactory(OptionsOf(limits));
    }

    private protected static EpollTransportOptions OptionsOf(TransportLimits limits) => new()
    {
        MaxReadBufferSize = limits.MaxReadBufferSize,
        MaxWriteBufferSize = limits.MaxWriteBufferSize,
        ReceiveBufferSize = limits.KernelBuffers ?? 0,
        SendBufferSize = limits.KernelBuffers ?? 0,

        // Where they come late, the server would log the client's leaving as an error.
        CallbackLimit = Wait.Limit,
    };

    private protected EpollTransportFactory CreateEpollFactory(EpollTransportOptions options, ILoggerFactory? loggers = null)
    {
        options.Dispatch = _dispatch;

        // Its loops end with its last listener.
        return new EpollTransportFactory(_scheduler, options, loggerFactory: loggers);
    }
}
