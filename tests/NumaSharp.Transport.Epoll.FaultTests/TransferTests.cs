using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>Receiving and sending: an error ends its connection, with its name, and no other one.</summary>
public sealed class TransferTests
{
    public static TheoryData<string, string> ReceiveRows => ManPages.Rows("recv");

    public static TheoryData<string, string> SendRows => ManPages.Rows("send", "sendmsg");

    public static TheoryData<string, string> UnixRows => ManPages.Rows("recvmsg", "send", "sendmsg");

    [Theory]
    [MemberData(nameof(ReceiveRows))]
    public Task Receive_Fails_TheReaderLearnsWhy(string call, string error) =>
        EndsOrContinuesAsync(call, error, EpollDispatchMode.Adaptive);

    [Theory]
    [MemberData(nameof(ReceiveRows))]
    public Task Receive_FailsOnAWorker_TheReaderLearnsWhy(string call, string error) =>
        EndsOrContinuesAsync(call, error, EpollDispatchMode.ThreadPool);

    [Theory]
    [MemberData(nameof(SendRows))]
    public Task Send_Fails_TheReaderThatWaitsLearnsWhy(string call, string error) =>
        EndsOrContinuesAsync(call, error, EpollDispatchMode.Adaptive);

    [Theory]
    [MemberData(nameof(SendRows))]
    public Task Send_FailsOnAWorker_TheReaderThatWaitsLearnsWhy(string call, string error) =>
        EndsOrContinuesAsync(call, error, EpollDispatchMode.ThreadPool);

    [Theory]
    [MemberData(nameof(UnixRows))]
    public Task Transfer_OverAUnixSocketFails_TheReaderLearnsWhy(string call, string error) =>
        EndsOrContinuesAsync(call, error, EpollDispatchMode.Adaptive, new UnixDomainSocketEndPoint(UnixPath.New()));

    private static async Task EndsOrContinuesAsync(
        string call, string error, EpollDispatchMode dispatch, EndPoint? endPoint = null)
    {
        await using var server = new FaultServer(new EpollTransportOptions { Dispatch = dispatch });
        await server.StartAsync(endPoint);
        var victim = await server.ConnectAsync();
        var blocks = (byte)(call == "sendmsg" ? 3 : 1);
        using (var fault = new Fault(call, ManPages.NumberOf(error)))
        {
            await victim.SendAsync(new[] { blocks });
            await fault.Met.Within($"{fault} is met");
            if (error == nameof(Errno.EAGAIN))
            {
                // The kernel says so only when it will tell of the change; this is the change.
                await victim.SendAsync(new[] { blocks });
                await FaultServer.ReceiveAsync(victim, 2 * blocks * FaultServer.AnswerLength);
            }
            else if (error == nameof(Errno.EINTR))
            {
                await FaultServer.ReceiveAsync(victim, blocks * FaultServer.AnswerLength);
            }
            else
            {
                await FaultServer.EndsAsync(victim);
                AssertReason(call, error, await server.NextEndAsync());
            }
        }

        await server.AssertServesAsync();
        Assert.Empty(server.Log.Entries);
    }

    // EPIPE is what is left of an end that the reader meets by himself.
    private static void AssertReason(string call, string error, Exception? reason)
    {
        if (error == nameof(Errno.EPIPE))
        {
            Assert.Null(reason);
            return;
        }

        var isReset = error == nameof(Errno.ECONNRESET);
        Assert.Equal(isReset, reason is ConnectionResetException);
        var cause = isReset ? reason!.InnerException : reason;
        Assert.Equal($"{(call is "recv" or "recvmsg" ? "recv" : "send")} failed: {error}.", cause!.Message);
    }
}
