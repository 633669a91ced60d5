using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Udp;

public sealed class UdpFactoryTests
{
    [Fact]
    public void Factory_OfTheContainer_ServesByTheHostsPlanAndEndsWithIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "NUMA datagram sockets need Linux.");
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma();
        NumaUdpSocketFactory factory;
        using (var host = builder.Build())
        {
            factory = host.Services.GetRequiredService<NumaUdpSocketFactory>();
            Assert.Same(factory, host.Services.GetRequiredService<NumaUdpSocketFactory>());
            var server = factory.Bind(new IPEndPoint(IPAddress.Loopback, 0), new EchoHandler());
            Assert.Equal(host.Services.GetRequiredService<NumaPlan>().LoopCount, server.Shards.Length);
            using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
            client.Connect(server.LocalEndPoint);
            client.Send([1, 2, 3]);
            Assert.Equal(3, client.Receive(new byte[8]));
        }

        Assert.Empty(factory.Sockets);
        Assert.Throws<ObjectDisposedException>(() => factory.Bind(new IPEndPoint(IPAddress.Loopback, 0)));
    }

    // The table of settings checks the keys, the library the options of code.
    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, true)]
    [InlineData(4095, false)]
    [InlineData(4096, true)]
    [InlineData(512 << 20, true)]
    [InlineData((512 << 20) + 1, false)]
    public void BufferSize_OfKeysAndOfCode_HasTheSameRange(int size, bool isAllowed)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "NUMA datagram sockets need Linux.");
        using var host = NumaHost.Create();
        var factory = host.Services.GetRequiredService<NumaUdpSocketFactory>();
        var listener = new NumaUdpListenerOptions { Shards = 1, SendBufferSize = size };
        var failures = NumaSettings.All.SelectMany(
            setting => setting.FindInvalid(new NumaOptions { Udp = { ["dns"] = listener } }));
        var exception = Record.Exception(() => factory.Bind(new IPEndPoint(IPAddress.Loopback, 0), listener));

        Assert.Equal(isAllowed ? [] : ["Udp:dns:SendBufferSize"], failures.Select(static failure => failure.Path));
        Assert.Equal(isAllowed ? null : "SendBufferSize", (exception as ArgumentOutOfRangeException)?.ParamName);
        Assert.Equal(isAllowed, exception is null);
    }
}
