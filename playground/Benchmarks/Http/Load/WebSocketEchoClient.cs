using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Many WebSockets on one thread, each sending its next message when the echo of the last has come.</summary>
internal sealed class WebSocketEchoClient : IDisposable
{
    private static readonly TimeSpan s_stall = TimeSpan.FromSeconds(5);

    private readonly Dictionary<Socket, WebSocketEchoConnection> _connections = [];
    private readonly List<Socket> _readable = [];
    private readonly List<int> _roundTrips = [];
    private readonly int _payloadBytes;
    private long _requests;

    public WebSocketEchoClient(int port, int connections, int payloadBytes)
    {
        _payloadBytes = payloadBytes;
        var random = new Random(1);
        var payload = new byte[payloadBytes];
        random.NextBytes(payload);
        for (var i = 0; i < connections; i++)
        {
            var connection = new WebSocketEchoConnection(payload, "mask"u8);
            _connections.Add(connection.Socket, connection);
            connection.Connect(port);
        }
    }

    public LoadReport Run(TimeSpan warmUp, TimeSpan duration)
    {
        foreach (var connection in _connections.Values)
        {
            connection.Send();
        }

        Exchange(warmUp);
        _roundTrips.Clear();
        var start = Stopwatch.GetTimestamp();
        Exchange(duration);
        var measured = Stopwatch.GetElapsedTime(start);
        var measuredRequests = _roundTrips.Count;
        if (measuredRequests == 0)
        {
            throw new BenchmarkException("WebSocket: no message came back");
        }

        double Percentile(double percent) => Statistics.Percentile(CollectionsMarshal.AsSpan(_roundTrips), percent);

        var (p50, p99, p999) = (Percentile(50), Percentile(99), Percentile(99.9));
        Finish();
        return new LoadReport
        {
            Requests = _requests,
            MeasuredRequests = measuredRequests,
            MeasuredMicroseconds = measured.TotalMicroseconds,
            Bytes = _requests * _payloadBytes,
            P50Microseconds = p50,
            P99Microseconds = p99,
            P999Microseconds = p999,
            Errors = new Dictionary<string, long>(),
        };
    }

    public void Dispose()
    {
        foreach (var connection in _connections.Values)
        {
            connection.Dispose();
        }
    }

    private void Exchange(TimeSpan duration)
    {
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < duration)
        {
            WaitForAny(_connections.Keys);
            foreach (var socket in _readable)
            {
                var connection = _connections[socket];
                if (connection.Receive() is { } roundTrip)
                {
                    _requests++;
                    _roundTrips.Add(roundTrip);
                    connection.Send();
                }
            }
        }
    }

    // Takes the last echo of every connection, then says goodbye.
    private void Finish()
    {
        var waiting = new HashSet<Socket>(_connections.Keys);
        while (waiting.Count > 0)
        {
            WaitForAny(waiting);
            foreach (var socket in _readable)
            {
                if (_connections[socket].Receive() is not null)
                {
                    _requests++;
                    waiting.Remove(socket);
                }
            }
        }

        foreach (var connection in _connections.Values)
        {
            connection.Close();
        }
    }

    private void WaitForAny(IEnumerable<Socket> sockets)
    {
        _readable.Clear();
        _readable.AddRange(sockets);
        Socket.Select(_readable, null, null, s_stall);
        if (_readable.Count == 0)
        {
            throw new BenchmarkException($"WebSocket: no echo within {s_stall.TotalSeconds} s");
        }
    }
}
