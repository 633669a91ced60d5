using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Stops;

namespace NumaSharp.Benchmarks.Tests.Http.Stops;

public sealed class Http2StopConnectionTests
{
    private const byte Data = 0;
    private const byte Headers = 1;
    private const byte Reset = 3;
    private const byte Settings = 4;
    private const byte Ping = 6;
    private const byte GoAway = 7;
    private const byte EndOfStream = 1;
    private const byte EndOfHeaders = 4;
    private const byte Acknowledged = 1;
    private const byte InternalError = 2;
    private const byte RefusedStream = 7;

    [Fact]
    public async Task RunAsync_EndInPlaceOfAnAnswer_OneIsLost() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 1, Refused: 0), await RunAsync(Answer(1), []));

    [Fact]
    public async Task RunAsync_EndInAnAnswer_OneIsLost() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 1, Refused: 0), await RunAsync(Answer(1), Answer(3)[..^1]));

    [Fact]
    public async Task RunAsync_StreamAboveTheLastOfGoAway_WasNotLookedAt() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 0, Refused: 1), await RunAsync(Answer(1), GoAwayAfter(1)));

    [Fact]
    public async Task RunAsync_StreamThatGoAwayNamesWithoutAnAnswer_IsLost() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 1, Refused: 0), await RunAsync(Answer(1), GoAwayAfter(3)));

    [Fact]
    public async Task RunAsync_AnswerBeforeGoAway_NoneIsLostAndNoneSentAfterIt() =>
        Assert.Equal(
            new StopCounts(Sent: 2, Lost: 0, Refused: 0),
            await RunAsync(Answer(1), [.. Answer(3), .. GoAwayAfter(3)], Answer(5)));

    // Kestrel's first GOAWAY names the highest stream that there can be.
    [Fact]
    public async Task RunAsync_AnswerAfterGoAway_NoneIsLostAndNoneSentAfterIt() =>
        Assert.Equal(
            new StopCounts(Sent: 2, Lost: 0, Refused: 0),
            await RunAsync(Answer(1), [.. GoAwayAfter(byte.MaxValue), .. Answer(3)], Answer(5)));

    [Theory]
    [InlineData(RefusedStream, 0, 1)]
    [InlineData(InternalError, 1, 0)]
    public async Task RunAsync_ResetStream_IsLostUnlessItWasRefused(byte code, int lost, int refused) =>
        Assert.Equal(
            new StopCounts(Sent: 2, lost, refused), await RunAsync(Answer(1), StopServer.Frame(Reset, 0, 3, 0, 0, 0, code)));

    [Fact]
    public async Task RunAsync_OtherStatus_IsRefused() =>
        await Assert.ThrowsAsync<BenchmarkException>(
            () => RunAsync(StopServer.Frame(Headers, EndOfHeaders | EndOfStream, 1, 0x8D)));

    [Fact]
    public async Task RunAsync_BodyThatIsShort_IsRefused() =>
        await Assert.ThrowsAsync<BenchmarkException>(
            () => RunAsync([.. StopServer.Frame(Headers, EndOfHeaders, 1, 0x88), .. StopServer.Frame(Data, EndOfStream, 1, 1)]));

    [Fact]
    public async Task RunAsync_SettingsAndPing_AreAcknowledged()
    {
        byte[] said = [1, 2, 3, 4, 5, 6, 7, 8];
        var acknowledged = new List<(byte Type, byte[] Payload)>();
        using var server = new StopServer(async stream =>
        {
            await OpenAsync(stream);
            await stream.WriteAsync(StopServer.Frame(Settings, 0, 0));
            await stream.WriteAsync(StopServer.Frame(Ping, 0, 0, said));
            while (acknowledged.Count < 2)
            {
                if (await StopServer.ReceiveFrameAsync(stream) is { Type: Settings or Ping, Flags: Acknowledged } frame)
                {
                    acknowledged.Add((frame.Type, frame.Payload));
                }
            }

            await stream.WriteAsync(GoAwayAfter(0));
        });

        Assert.Equal(new StopCounts(Sent: 1, Lost: 0, Refused: 1), await RunAsync(server));
        Assert.Equal([Settings, Ping], acknowledged.Select(static one => one.Type));
        Assert.Equal(said, acknowledged[1].Payload);
    }

    private static byte[] Answer(byte stream) =>
    [
        .. StopServer.Frame(Headers, EndOfHeaders, stream, 0x88),
        .. StopServer.Frame(Data, EndOfStream, stream, [.. "done"u8]),
    ];

    private static byte[] GoAwayAfter(byte stream) => StopServer.Frame(GoAway, 0, 0, 0, 0, 0, stream, 0, 0, 0, 0);

    private static async Task<StopCounts> RunAsync(params byte[][] answers)
    {
        using var server = new StopServer(async stream =>
        {
            await OpenAsync(stream);
            for (var i = 0; i < answers.Length; i++)
            {
                while (await StopServer.ReceiveFrameAsync(stream) is not { Type: Headers, Flags: EndOfHeaders | EndOfStream })
                {
                }

                await stream.WriteAsync(answers[i]);
            }
        });
        return await RunAsync(server);
    }

    private static async Task<StopCounts> RunAsync(StopServer server)
    {
        using var connection = new Http2StopConnection(server.Port);
        return await connection.RunAsync(TestContext.Current.CancellationToken).Within("the connection ends");
    }

    private static async Task OpenAsync(NetworkStream stream)
    {
        var preface = new byte["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".Length];
        await stream.ReadExactlyAsync(preface);
        Assert.Equal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, preface);
        Assert.Equal(Settings, (await StopServer.ReceiveFrameAsync(stream)).Type);
    }
}
