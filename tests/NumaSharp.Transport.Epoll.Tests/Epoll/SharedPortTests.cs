using System.Net;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Several transports on one port, as the processes of <c>numasharp run --per-node</c> have it.</summary>
public sealed class SharedPortTests : IDisposable
{
    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    private readonly NumaTaskScheduler _scheduler;

    public SharedPortTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
    }

    public void Dispose() => _scheduler?.Dispose();

    [Fact]
    public async Task SharePort_TwoTransports_BothGetConnections()
    {
        using var first = Create(sharePort: true);
        using var second = Create(sharePort: true);
        await using var left = await first.BindAsync(s_anyPort);
        await using var right = await second.BindAsync(left.EndPoint);
        var clients = new List<WireClient>();
        try
        {
            // The kernel picks a socket by a hash of the addresses: 64 clients on one side alone is a chance of 1 in 2^63.
            for (var i = 0; i < 64; i++)
            {
                clients.Add(await WireClient.ConnectAsync(left.EndPoint));
            }

            await (await left.AcceptAsync().Within("an accept of the first"))!.DisposeAsync();
            await (await right.AcceptAsync().Within("an accept of the second"))!.DisposeAsync();
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task BindAsync_SecondDoesNotShare_AddressInUse(bool firstShares)
    {
        using var first = Create(firstShares);
        using var second = Create(sharePort: false);
        await using var left = await first.BindAsync(s_anyPort);

        await Assert.ThrowsAsync<AddressInUseException>(async () => await second.BindAsync(left.EndPoint));
    }

    private EpollTransportFactory Create(bool sharePort) =>
        new(_scheduler, new EpollTransportOptions { SharePort = sharePort });
}
