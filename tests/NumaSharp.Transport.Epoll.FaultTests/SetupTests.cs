using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>Binding, connecting and ending: what fails leaves nothing behind.</summary>
public sealed class SetupTests
{
    private const int EpollDelete = 2;

    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    public static TheoryData<string, string> BindRows => ManPages.Rows("socket", "setsockopt", "bind", "getsockname", "listen");

    public static TheoryData<string, string> InheritRows => ManPages.Rows("fcntl", "getsockopt", "getsockname", "listen");

    public static TheoryData<string, string> TuneRows => ManPages.Rows("setsockopt");

    public static TheoryData<string, string> CookieRows => ManPages.Rows("getsockopt");

    public static TheoryData<string, string> ConnectRows =>
        ManPages.Rows("socket", "connect", "getsockname", "getsockopt", "epoll_ctl");

    public static TheoryData<string, string> EndRows => ManPages.Rows("shutdown", "close", "setsockopt");

    public static TheoryData<string, string> UnwatchRows => ManPages.Rows("epoll_ctl");

    [Theory]
    [MemberData(nameof(BindRows))]
    public async Task Bind_Fails_SaysWhyAndTheNextOneWorks(string call, string error)
    {
        await using var server = new FaultServer();
        using (new Fault(call, ManPages.NumberOf(error)))
        {
            AssertNames(error, await Assert.ThrowsAnyAsync<Exception>(() => server.BindAsync(s_anyPort)));
        }

        await server.StartAsync();
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(InheritRows))]
    public async Task Bind_OfAnInheritedSocketFails_SaysWhyAndLeavesItToItsOwner(string call, string error)
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(s_anyPort);
        owner.Listen();
        var handle = new FileHandleEndPoint((ulong)owner.Handle, FileHandleType.Tcp);
        await using (var server = new FaultServer())
        {
            using (new Fault(call, ManPages.NumberOf(error)))
            {
                AssertNames(error, await Assert.ThrowsAnyAsync<Exception>(() => server.BindAsync(handle)));
            }

            await server.StartAsync(handle);
            await server.AssertServesAsync();
        }

        Assert.NotEqual(0, (int)owner.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.AcceptConnection)!);
    }

    [Theory]
    [MemberData(nameof(TuneRows))]
    public async Task Bind_AnOptionIsRefused_IsAFallback(string call, string error)
    {
        await using var server = new FaultServer();
        using (new Fault(call, ManPages.NumberOf(error), Native.TCP_NODELAY))
        {
            await server.StartAsync();
        }

        Assert.Contains(error, Assert.Single(server.Fallbacks.Current).Message, StringComparison.Ordinal);
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(CookieRows))]
    public async Task Bind_TheSocketHasNoCookie_IsServedAndClosed(string call, string error)
    {
        await using var server = new FaultServer();
        using (var fault = new Fault(call, ManPages.NumberOf(error), Native.SO_COOKIE))
        {
            await server.StartAsync();
            Assert.True(fault.WasMet);
        }

        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(ConnectRows))]
    public Task Connect_Fails_SaysWhyAndTheNextOneWorks(string call, string error) =>
        ConnectAsync(call, error, call == "getsockopt" ? Native.SO_ERROR : null);

    [Theory]
    [MemberData(nameof(UnwatchRows))]
    public Task Connect_TheLoopCannotForgetTheAttempt_SaysWhy(string call, string error) =>
        ConnectAsync(call, error, EpollDelete);

    // To a process whose calls are not ours.
    private static async Task ConnectAsync(string call, string error, int? argument)
    {
        using var target = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        target.Bind(s_anyPort);
        target.Listen();
        await using var server = new FaultServer();
        await server.StartAsync();
        using (var fault = new Fault(call, ManPages.NumberOf(error), argument))
        {
            if (call == "connect" && error is nameof(Errno.EINTR) or nameof(Errno.EINPROGRESS))
            {
                await ReceiveByteAsync(server.Transport, target);
            }
            else
            {
                AssertNames(error, await Assert.ThrowsAnyAsync<Exception>(
                    () => server.Transport.ConnectAsync(target.LocalEndPoint!).Within("the attempt ends")));
                if (call == "connect" || argument is not null || call is "getsockname" or "epoll_ctl")
                {
                    // The kernel had made it all the same, or was about to.
                    (await target.AcceptAsync().Within("the attempt that failed")).Dispose();
                }
            }

            Assert.True(fault.WasMet);
        }

        await ReceiveByteAsync(server.Transport, target);
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(UnwatchRows))]
    public async Task Unbind_TheLoopCannotForgetTheSocket_ThePortIsFree(string call, string error)
    {
        using var port = BoundPort.ForServers();
        await using var server = new FaultServer();
        await server.StartAsync(port.EndPoint);
        using (var fault = new Fault(call, ManPages.NumberOf(error), argument: EpollDelete))
        {
            await server.UnbindAsync();
            Assert.True(fault.WasMet);
        }

        await server.StartAsync(port.EndPoint);
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(EndRows))]
    public async Task End_ACallFails_TheClientIsNotifiedAnyway(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        var client = await server.ConnectAsync();
        await FaultServer.AskAsync(client);
        using var fault = new Fault(call, ManPages.NumberOf(error));
        using var broken = call == "setsockopt" ? new Fault("recv", Errno.EIO) : null;
        if (broken is null)
        {
            client.Shutdown(SocketShutdown.Send);
        }
        else
        {
            await client.SendAsync(new byte[1]);
        }

        await FaultServer.EndsAsync(client);
        await server.AssertServesAsync();
        Assert.Empty(server.Log.Entries);
    }

    private static async Task ReceiveByteAsync(EpollTransportFactory transport, Socket target)
    {
        await using var connection = await transport.ConnectAsync(target.LocalEndPoint!).Within("the attempt ends");
        using var peer = await target.AcceptAsync().Within("the attempt arrives");
        await peer.SendAsync(new byte[1]).Within("the byte is sent");
        var read = await connection.Transport.Input.ReadAsync().Within("the byte arrives");
        Assert.Equal(1, read.Buffer.Length);
        connection.Transport.Input.AdvanceTo(read.Buffer.End);
    }

    // The caller gets the error's name, whatever the exception's type.
    private static void AssertNames(string error, Exception exception)
    {
        Assert.True(exception is SocketException or AddressInUseException or NumaException, $"{exception}");
        Assert.Contains(error, exception.Message, StringComparison.Ordinal);
    }
}
