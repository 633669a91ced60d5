using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
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
}
