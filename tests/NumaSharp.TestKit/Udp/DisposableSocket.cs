using NumaSharp.Udp;

namespace NumaSharp.TestKit;

/// <summary>For tests that wait for nothing.</summary>
public readonly record struct DisposableSocket(NumaUdpSocket Socket) : IDisposable
{
    public void Dispose() => Wait.For(Socket.DisposeAsync().AsTask(), "the socket's disposal");
}

public static class DisposableSocketExtensions
{
    public static DisposableSocket AsDisposable(this NumaUdpSocket socket) => new(socket);
}
