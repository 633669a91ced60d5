using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>A thread that blocks in <see cref="Socket.ReceiveFrom(Span{byte}, SocketFlags, SocketAddress)"/>.</summary>
internal sealed class BlockingEngine(IPAddress address) : SocketEngine(address)
{
    private SocketAddress? _target;

    public override void Start(bool isEcho) =>
        new Thread(() => Run(isEcho)) { IsBackground = true }.Start();

    protected override Task RunAsync(bool isEcho) => throw new NotSupportedException("It has a thread.");

    protected override ValueTask SendOneAsync(IPEndPoint target, byte[] payload)
    {
        _target ??= target.Serialize();
        Socket.SendTo(payload, SocketFlags.None, _target);
        return ValueTask.CompletedTask;
    }

    private void Run(bool isEcho)
    {
        var buffer = GC.AllocateArray<byte>(LargestDatagram, pinned: true);
        var address = new SocketAddress(AddressFamily.InterNetwork);
        while (true)
        {
            var length = Socket.ReceiveFrom(buffer, SocketFlags.None, address);
            if (isEcho)
            {
                Socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, address);
            }

            Count();
        }
    }
}
