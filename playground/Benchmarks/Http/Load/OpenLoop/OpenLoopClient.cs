using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>
/// Sends when the schedule says so, on one thread that never sleeps: it has a CPU of its own, and a sleep would be late by
/// more than an answer takes.
/// </summary>
internal sealed class OpenLoopClient : IDisposable
{
    // A request that the client itself sends this late measures the client's machine.
    private static readonly TimeSpan s_late = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_stall = TimeSpan.FromSeconds(20);

    private readonly List<OpenLoopConnection> _connections = [];
    private readonly Queue<OpenLoopConnection> _idle = new();
    private readonly Queue<long> _waiting = new();
    private readonly List<int> _latencies = [];
    private readonly double _tolerableLateShare;
    private readonly EpollHandle _epoll;
    private readonly EpollEventBuffer _events;
    private long _requests;
    private long _bytes;
    private int _late;

    /// <summary>Connects.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="connections">How many.</param>
    /// <param name="tolerableLateShare">Of the requests; when the client was late with more, the run is no measurement.</param>
    public OpenLoopClient(int port, int connections, double tolerableLateShare)
    {
        _tolerableLateShare = tolerableLateShare;
        Require(EpollHandle.Create(out var epoll), "epoll_create1");
        _epoll = epoll!;
        _events = new EpollEventBuffer(connections);
        for (var i = 0; i < connections; i++)
        {
            var connection = new OpenLoopConnection(port);
            _connections.Add(connection);
            _idle.Enqueue(connection);
            Require(_epoll.Add(connection.Socket.SafeHandle, Native.EPOLLIN, (ulong)i), "epoll_ctl");
        }
    }

    public LoadReport Run(TimeSpan warmUp, TimeSpan length, int requestsPerSecond)
    {
        Serve(new OpenLoopSchedule(Stopwatch.GetTimestamp(), warmUp, requestsPerSecond));
        _latencies.Clear();
        _latencies.EnsureCapacity((int)(length.TotalSeconds * requestsPerSecond) + 1);
        _late = 0;
        var start = Stopwatch.GetTimestamp();
        Serve(new OpenLoopSchedule(start, length, requestsPerSecond));
        var measured = Stopwatch.GetElapsedTime(start);
        if (_latencies.Count == 0 || _late > _latencies.Count * _tolerableLateShare)
        {
            throw new BenchmarkException(
                $"open loop: of {_latencies.Count} requests the client itself came to {_late} more than "
                + $"{s_late.TotalMilliseconds} ms late: it cannot keep the rate of {requestsPerSecond}/s here");
        }

        double Percentile(double percent) => Statistics.Percentile(CollectionsMarshal.AsSpan(_latencies), percent);

        return new LoadReport
        {
            Requests = _requests,
            MeasuredRequests = _latencies.Count,
            MeasuredMicroseconds = measured.TotalMicroseconds,
            Bytes = _bytes,
            P50Microseconds = Percentile(50),
            P99Microseconds = Percentile(99),
            P999Microseconds = Percentile(99.9),
            Errors = new Dictionary<string, long>(),
        };
    }

    public void Dispose()
    {
        foreach (var connection in _connections)
        {
            connection.Dispose();
        }

        _events.Dispose();
        _epoll.Dispose();
    }

    private static void Require(SysResult result, string call)
    {
        if (!result.Succeeded)
        {
            throw new BenchmarkException($"open loop: {call} says {result.ErrorName}");
        }
    }

    // Until the schedule has ended and every request of it is answered.
    private void Serve(OpenLoopSchedule schedule)
    {
        var progress = Stopwatch.GetTimestamp();
        while (!schedule.IsOver || _idle.Count < _connections.Count)
        {
            TakeDue(schedule);
            var wait = _epoll.Wait(_events, timeoutMilliseconds: 0);
            Require(wait, "epoll_wait");
            for (var i = 0; i < wait.Value; i++)
            {
                _events.Read(i, out _, out var index);
                OnReadable(_connections[(int)index]);
            }

            if (wait.Value > 0 || _idle.Count == _connections.Count)
            {
                progress = Stopwatch.GetTimestamp();
            }
            else if (Stopwatch.GetElapsedTime(progress) > s_stall)
            {
                throw new BenchmarkException($"open loop: no answer within {s_stall.TotalSeconds} s");
            }
        }
    }

    private void TakeDue(OpenLoopSchedule schedule)
    {
        var now = Stopwatch.GetTimestamp();
        while (schedule.TryTake(now, out var due))
        {
            if (Stopwatch.GetElapsedTime(due, now) > s_late)
            {
                _late++;
            }

            if (_idle.TryDequeue(out var connection))
            {
                connection.Send(due);
            }
            else
            {
                _waiting.Enqueue(due);
            }
        }
    }

    private void OnReadable(OpenLoopConnection connection)
    {
        if (!connection.Receive())
        {
            return;
        }

        _requests++;
        _bytes += connection.AnswerBytes;
        _latencies.Add((int)Stopwatch.GetElapsedTime(connection.Due).TotalMicroseconds);
        if (_waiting.TryDequeue(out var due))
        {
            connection.Send(due);
        }
        else
        {
            _idle.Enqueue(connection);
        }
    }
}
