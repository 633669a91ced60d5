using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>
/// Sends when the schedule says so, on the connection that has waited longest, by one thread. With a CPU of its own the thread
/// never sleeps: a sleep would be late by more than an answer takes. Otherwise it sleeps until a request is due or an answer is
/// there, and what it is late by is in the latencies.
/// </summary>
internal sealed class OpenLoopClient : IDisposable
{
    // A request that the client itself sends this late measures the client's machine.
    private static readonly TimeSpan s_late = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_stall = TimeSpan.FromSeconds(20);

    // Of the event by which the timer expires; connections have their index.
    private const ulong TimerEvent = ulong.MaxValue;
    private const int LongestSleepMilliseconds = 1000;

    private readonly List<OpenLoopConnection> _connections = [];
    private readonly Queue<OpenLoopConnection> _idle = new();
    private readonly Queue<long> _waiting = new();
    private readonly List<int> _latencies = [];
    private readonly double _tolerableLateShare;
    private readonly EpollHandle _epoll;
    private readonly EpollEventBuffer _events;

    // A timeout of epoll_wait has milliseconds, and may be late by as much as the kernel saves by it; a timer has neither.
    private readonly TimerFdHandle? _timer;
    private long _timerSet;
    private long _requests;
    private long _bytes;
    private int _late;

    /// <summary>Connects.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="connections">How many.</param>
    /// <param name="sleeps">Whether it shares its CPU.</param>
    /// <param name="tolerableLateShare">Of the requests; when the client was late with more, the run is no measurement.</param>
    public OpenLoopClient(int port, int connections, bool sleeps, double tolerableLateShare)
    {
        _tolerableLateShare = tolerableLateShare;
        Require(EpollHandle.Create(out var epoll), "epoll_create1");
        _epoll = epoll!;
        _events = new EpollEventBuffer(connections + 1);
        if (sleeps)
        {
            Require(TimerFdHandle.Create(out _timer), "timerfd_create");
            Require(_epoll.Add(_timer!, Native.EPOLLIN | Native.EPOLLET, TimerEvent), "epoll_ctl");
        }

        for (var i = 0; i < connections; i++)
        {
            var connection = new OpenLoopConnection(port);
            _connections.Add(connection);
            _idle.Enqueue(connection);
            Require(_epoll.Add(connection.Socket.SafeHandle, Native.EPOLLIN, (ulong)i), "epoll_ctl");
        }
    }

    /// <summary>A run, with nothing of an earlier one in its report.</summary>
    public LoadReport Run(TimeSpan warmUp, TimeSpan length, int requestsPerSecond)
    {
        (_requests, _bytes) = (0, 0);
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
        _timer?.Dispose();
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
            if (TakeAnswers(schedule) || _idle.Count == _connections.Count)
            {
                progress = Stopwatch.GetTimestamp();
            }
            else if (Stopwatch.GetElapsedTime(progress) > s_stall)
            {
                throw new BenchmarkException($"open loop: no answer within {s_stall.TotalSeconds} s");
            }
        }
    }

    // Those that are there, or that come until the next request is due.
    private bool TakeAnswers(OpenLoopSchedule schedule)
    {
        SetTimer(schedule);
        var wait = _epoll.Wait(_events, _timer is null ? 0 : LongestSleepMilliseconds);
        Require(wait, "epoll_wait");
        var isAnswered = false;
        for (var i = 0; i < wait.Value; i++)
        {
            _events.Read(i, out _, out var index);
            if (index == TimerEvent)
            {
                _timerSet = 0;
                continue;
            }

            OnReadable(_connections[(int)index]);
            isAnswered = true;
        }

        return isAnswered;
    }

    // Behind the last request nothing but an answer, or its absence, ends the wait.
    private void SetTimer(OpenLoopSchedule schedule)
    {
        var due = schedule.IsOver ? 0 : schedule.Due;
        if (_timer is not null && due != _timerSet)
        {
            Require(_timer.Set(due), "timerfd_settime");
            _timerSet = due;
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
