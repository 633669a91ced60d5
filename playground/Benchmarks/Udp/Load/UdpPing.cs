using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>
/// A client of echoes: a fixed number of datagrams is in flight, and each reply gives its latency. It never sleeps, so that its
/// wake-up does not count.
/// </summary>
internal static class UdpPing
{
    // What has not come back by then was dropped.
    private static readonly TimeSpan s_lostAfter = TimeSpan.FromMilliseconds(200);

    /// <param name="target">The server.</param>
    /// <param name="size">Bytes of a datagram.</param>
    /// <param name="outstanding">Datagrams in flight.</param>
    /// <param name="lead">At the start, how long replies count for the server's CPU only.</param>
    /// <param name="length">Of the part after that.</param>
    public static LoadReport Run(IPEndPoint target, int size, int outstanding, TimeSpan lead, TimeSpan length)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        socket.Connect(target);
        var buffer = new byte[size];
        var latencies = new List<int>(1 << 20);
        var (lost, received) = (0L, 0L);
        var (start, last) = (Stopwatch.GetTimestamp(), TimeSpan.Zero);
        Send(socket, buffer, outstanding);
        while (Stopwatch.GetElapsedTime(start) is var elapsed && elapsed < lead + length)
        {
            if (!TryReceive(socket, buffer))
            {
                if (elapsed - last > s_lostAfter)
                {
                    (lost, last) = (lost + outstanding, elapsed);
                    Send(socket, buffer, outstanding);
                }

                continue;
            }

            (received, last) = (received + 1, elapsed);
            if (elapsed > lead)
            {
                latencies.Add((int)Stopwatch.GetElapsedTime(MemoryMarshal.Read<long>(buffer)).TotalMicroseconds);
            }

            Send(socket, buffer, count: 1);
        }

        return UdpReport.Of(received, length, latencies, lost);
    }

    private static void Send(Socket socket, byte[] buffer, int count)
    {
        for (var i = 0; i < count; i++)
        {
            MemoryMarshal.Write(buffer, Stopwatch.GetTimestamp());
            socket.Send(buffer);
        }
    }

    private static bool TryReceive(Socket socket, byte[] buffer)
    {
        socket.Receive(buffer, SocketFlags.None, out var error);
        return error switch
        {
            SocketError.Success => true,
            SocketError.WouldBlock => false,
            _ => throw new SocketException((int)error),
        };
    }
}
