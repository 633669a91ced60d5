using System.Net.Sockets;

namespace NumaSharp.Udp;

/// <summary>
/// Receives what comes to the shards of a socket. Each shard calls on the thread of its event loop, one call at a time; calls of
/// several shards run at the same time. If a call hangs for five seconds, its shard continues on another thread: with a new
/// handler if the socket was bound with a function, else with the same handler.
/// </summary>
public interface IDatagramHandler
{
    /// <summary>
    /// Handles datagrams. Should not block: the shard receives nothing meanwhile, and the kernel drops, and counts, what finds no
    /// room. What it throws is logged and counted, and the rest of the batch is lost.
    /// </summary>
    /// <param name="batch">The datagrams, valid until the method returns; answers are sent then.</param>
    void OnBatch(in DatagramBatch batch);

    /// <summary>
    /// Says that something which was sent has met an error (ICMP, udp(7)): of connected sockets only, and an event rather than
    /// an end. Anybody who can send such packets can cause it.
    /// </summary>
    /// <param name="reason">What, such as <see cref="SocketError.ConnectionRefused"/>.</param>
    void OnError(SocketError reason)
    {
    }
}
