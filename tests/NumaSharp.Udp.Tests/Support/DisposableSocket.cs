namespace NumaSharp.Udp.Tests.Support;

/// <summary>For tests that wait for nothing.</summary>
internal readonly record struct DisposableSocket(NumaUdpSocket Socket) : IDisposable
{
    public void Dispose() => Socket.DisposeAsync().AsTask().Wait(TimeSpan.FromSeconds(30));
}

internal static class DisposableSocketExtensions
{
    public static DisposableSocket AsDisposable(this NumaUdpSocket socket) => new(socket);
}
