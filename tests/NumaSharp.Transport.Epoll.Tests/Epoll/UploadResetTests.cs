using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Clients that leave in the middle of an upload are no error of the application's.</summary>
public sealed class UploadResetTests
{
    private const int Clients = 30;

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Client_ResetsDuringAnUpload_NothingIsLoggedAsAnError(EpollDispatchMode dispatch)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var factory = new EpollTransportFactory(scheduler, new EpollTransportOptions { Dispatch = dispatch });
        await using var server = await TestServer.StartAsync(
            host => host.ConfigureServices(services => services.AddSingleton<IConnectionListenerFactory>(factory)),
            new TestServerOptions());
        for (var i = 0; i < Clients; i++)
        {
            var (started, ended) = (new Signal(), new Signal());
            var path = server.On(async context =>
            {
                context.Response.OnCompleted(() =>
                {
                    ended.Set();
                    return Task.CompletedTask;
                });
                var first = await context.Request.BodyReader.ReadAsync();
                context.Request.BodyReader.AdvanceTo(first.Buffer.End);
                started.Set();
                await context.Request.Body.CopyToAsync(Stream.Null);
            });
            using var client = await WireClient.ConnectAsync(server.Http);
            await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbeginning");
            await started.Task.Within("the upload begins");
            client.Reset();
            await ended.Task.Within("the request ends");
        }

        Assert.Equal("", server.TakeErrors());
    }
}
