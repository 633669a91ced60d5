using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>What every suite over Kestrel has: a server on the transport, which has logged no error when a test ends.</summary>
public abstract class HttpSuite(TransportFixture transport) : IAsyncLifetime
{
    protected TransportFixture Transport { get; } = transport;

    protected TestServer Server { get; private set; } = null!;

    /// <summary>Those of the server that the suite shares with others.</summary>
    protected virtual TransportLimits Limits => TransportLimits.Default;

    public async ValueTask InitializeAsync() => Server = await Transport.SharedServerAsync(Limits);

    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (TestContext.Current.TestState?.Result == TestResult.Failed)
        {
            TestContext.Current.TestOutputHelper?.WriteLine(Server.TakeRecentLog());
        }

        var errors = Server.TakeErrors();
        Assert.True(errors.Length == 0, errors);
        return ValueTask.CompletedTask;
    }

    private protected Task<WireClient> ConnectAsync(int? receiveBuffer = null) =>
        WireClient.ConnectAsync(Server.Http, receiveBuffer);

    private protected static async Task ExpectPongAsync(WireClient client)
    {
        await client.GetAsync("/ping");
        Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
    }

    /// <summary>A new connection is served.</summary>
    private protected async Task ExpectServedAsync()
    {
        using var client = await ConnectAsync();
        await ExpectPongAsync(client);
    }
}
