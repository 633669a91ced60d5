using System.Net.Sockets;

namespace NumaSharp.Udp;

/// <summary>
/// Receives the datagrams of a socket's shards. Each shard calls on the thread of its event loop, one call at a time; calls of
/// several shards run concurrently. If a call hangs for five seconds, its shard continues on another thread: with a new handler
/// if the socket was bound with a function, otherwise with the same one.
/// </summary>
public interface IDatagramHandler
{
    /// <summary>
    /// Handles datagrams. Should not block: meanwhile the shard receives nothing, and the kernel drops, and counts, datagrams
    /// without room. An exception is logged and counted, and the rest of the batch is lost.
    /// </summary>
    /// <param name="batch">The datagrams, valid until the method returns; replies are sent then.</param>
    void OnBatch(in DatagramBatch batch);

    /// <summary>
    /// Reports an error (ICMP, udp(7)) caused by an earlier datagram: only on connected sockets, and as an event, not an end. Any
    /// host that can send such packets can cause it. An error that a send meets first is counted only.
    /// </summary>
    /// <param name="reason">The error, such as <see cref="SocketError.ConnectionRefused"/>.</param>
    void OnError(SocketError reason)
    {
    }
}
