using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Stops;

namespace NumaSharp.Benchmarks.Tests.Http.Stops;

public sealed class Http1StopConnectionTests
{
    private const string Answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
    private const string LastAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndone";

    [Fact]
    public async Task RunAsync_EndInPlaceOfAnAnswer_OneIsLost() =>
        Assert.Equal(new StopCounts(Sent: 3, Lost: 1, Refused: 0), await RunAsync([Answer, Answer, ""]));

    [Fact]
    public async Task RunAsync_EndInAnAnswer_OneIsLost() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 1, Refused: 0), await RunAsync([Answer, Answer[..^1]]));

    [Fact]
    public async Task RunAsync_ResetInPlaceOfAnAnswer_OneIsLost() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 1, Refused: 0), await RunAsync([Answer, ""], isReset: true));

    [Fact]
    public async Task RunAsync_AnswerThatIsTheLast_NoneIsLostAndNoneSentAfterIt() =>
        Assert.Equal(new StopCounts(Sent: 2, Lost: 0, Refused: 0), await RunAsync([Answer, LastAnswer, Answer]));

    [Fact]
    public async Task RunAsync_AnswerInPieces_IsOne()
    {
        using var server = new StopServer(async stream =>
        {
            await StopServer.ReceiveHttp1Async(stream);
            foreach (var one in LastAnswer)
            {
                await stream.WriteAsync(new[] { (byte)one });
            }
        });
        using var connection = new Http1StopConnection(server.Port);

        Assert.Equal(new StopCounts(Sent: 1, Lost: 0, Refused: 0), await RunAsync(connection));
    }

    [Fact]
    public async Task RunAsync_OtherStatus_IsRefused()
    {
        var failure = await Assert.ThrowsAsync<BenchmarkException>(() => RunAsync(["HTTP/1.1 404 Not Found\r\n\r\n"]));

        Assert.Contains("404", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_PortWithoutAServer_SaysSo()
    {
        using var server = new StopServer(static _ => Task.CompletedTask);
        using var connection = new Http1StopConnection(server.Port);
        server.Dispose();

        await Assert.ThrowsAsync<BenchmarkException>(() => RunAsync(connection));
    }

    [Fact]
    public async Task StopRound_ServerThatAnswersNoMore_EveryConnectionHasLostOne()
    {
        var stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var server = new StopServer(async stream =>
        {
            while (true)
            {
                await StopServer.ReceiveHttp1Async(stream);
                if (stopped.Task.IsCompleted)
                {
                    return;
                }

                await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes(Answer));
            }
        });

        var counts = await StopRound.RunAsync(
            () => new Http1StopConnection(server.Port),
            stop: () =>
            {
                stopped.SetResult();
                server.Dispose();
                return Task.CompletedTask;
            },
            TestContext.Current.CancellationToken);

        Assert.Equal((StopRound.Connections, 0), (counts.Lost, counts.Refused));
    }

    [Fact]
    public async Task StopRound_ConnectionThatEndsBeforeTheStop_SaysSo()
    {
        using var server = new StopServer(static stream => StopServer.ReceiveHttp1Async(stream));

        await Assert.ThrowsAsync<BenchmarkException>(() => StopRound.RunAsync(
            () => new Http1StopConnection(server.Port),
            stop: static () => throw new InvalidOperationException("It must not be stopped."),
            TestContext.Current.CancellationToken));
    }

    private static async Task<StopCounts> RunAsync(IReadOnlyList<string> answers, bool isReset = false)
    {
        using var server = new StopServer(async stream =>
        {
            foreach (var answer in answers)
            {
                await StopServer.ReceiveHttp1Async(stream);
                await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes(answer));
            }

            stream.Socket.LingerState = new LingerOption(enable: isReset, seconds: 0);
        });
        using var connection = new Http1StopConnection(server.Port);
        return await RunAsync(connection);
    }

    private static Task<StopCounts> RunAsync(Http1StopConnection connection) =>
        connection.RunAsync(TestContext.Current.CancellationToken).Within("the connection ends");
}
