using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Kestrel's switch for how a connection ends that an error ends. It is the process's.</summary>
[Collection(nameof(Alone))]
public sealed class FinOnErrorTests
{
    private const string Switch = "Microsoft.AspNetCore.Server.Kestrel.FinOnError";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Abort_BytesUnread_EndsAsTheSwitchSays(bool finOnError)
    {
        AppContext.SetSwitch(Switch, finOnError);
        EpollTransportOptions options;
        try
        {
            options = new EpollTransportOptions { Dispatch = EpollDispatchMode.ThreadPool };
        }
        finally
        {
            AppContext.SetSwitch(Switch, isEnabled: false);
        }

        await using var pair = await RawPair.ConnectAsync(options);
        using var client = new WireClient(pair.Client);
        await client.SendAsync("never read");
        HeldLoop.WaitForUnread(pair.Server, "never read".Length);
        pair.Server.Abort();

        if (finOnError)
        {
            Assert.Empty(await client.ReceiveToEndAsync());
        }
        else
        {
            await client.ExpectResetAsync();
        }
    }
}
