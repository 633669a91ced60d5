using System.Net;
using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

namespace NumaSharp.Benchmarks.Tests.Http.Load.OpenLoop;

public sealed class OpenLoopClientTests
{
    private const int Connections = 4;
    private const int Rate = 500;

    // The machine of a test may be busy.
    private const double AnyLateness = 1;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_length = TimeSpan.FromMilliseconds(200);

    public OpenLoopClientTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The client waits by epoll.");

    [Fact]
    public void Run_ServerThatAnswers_HasEveryRequestOfTheSchedule()
    {
        using var server = new PongServer(stall: TimeSpan.Zero);
        using var client = new OpenLoopClient(server.Port, Connections, AnyLateness);

        var report = client.Run(s_warmUp, s_length, Rate);

        Assert.Equal(100, report.MeasuredRequests);
        Assert.Equal(125, report.Requests);
        Assert.Equal(125 * server.AnswerBytes, report.Bytes);
    }

    // A closed loop of four connections would see four slow answers; here all of those that were due are slow.
    [Fact]
    public void Run_ServerThatStalls_ChargesEveryRequestThatWasDueMeanwhile()
    {
        var stall = TimeSpan.FromMilliseconds(100);
        using var server = new PongServer(stall);
        using var client = new OpenLoopClient(server.Port, Connections, AnyLateness);

        var report = client.Run(s_warmUp, s_length, Rate);

        // Due all over the stall: half of them wait for more than half of it, the last of the measured 100 for none.
        Assert.Equal(100, report.MeasuredRequests);
        Assert.True(report.P99Microseconds > stall.TotalMicroseconds / 2, $"p99 is {report.P99Microseconds} us");
    }

    [Fact]
    public void Constructor_ServerThatAnswersSomethingElse_Throws()
    {
        using var server = new PongServer(stall: TimeSpan.Zero, status: "404 Not Found");

        Assert.Throws<BenchmarkException>(() => new OpenLoopClient(server.Port, Connections, AnyLateness));
    }

    /// <summary>Answers each request on a thread per connection, and stops everybody once, in the middle of the run.</summary>
    private sealed class PongServer : IDisposable
    {
        // Behind the warm-up, within the run: of the connections' first requests and the 25 of the warm-up.
        private const int StallsAt = Connections + 25 + 20;

        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly Lock _counting = new();
        private readonly TimeSpan _stall;
        private readonly byte[] _answer;
        private readonly Thread _accepting;
        private int _requests;

        public PongServer(TimeSpan stall, string status = "200 OK")
        {
            _stall = stall;
            _answer = System.Text.Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\npong");
            _listener.Start();
            _accepting = TestThreads.Start(Accept);
        }

        public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

        public int AnswerBytes => _answer.Length;

        public void Dispose()
        {
            _listener.Dispose();
            Wait.For(_accepting);
        }

        private void Accept()
        {
            try
            {
                while (true)
                {
                    var socket = _listener.AcceptSocket();
                    TestThreads.Start(() => Serve(socket));
                }
            }
            catch (Exception exception) when (exception is SocketException or InvalidOperationException)
            {
                // Disposed, while it accepted or before: then the listener says that it was not started.
            }
        }

        private void Serve(Socket socket)
        {
            using var connection = socket;
            var request = new byte[1024];
            try
            {
                while (connection.Receive(request) > 0)
                {
                    Answer(connection);
                }
            }
            catch (SocketException)
            {
                // The client has left.
            }
        }

        private void Answer(Socket connection)
        {
            // The next one waits for the one that stalls, even where that has no CPU between the count and the stall.
            lock (_counting)
            {
                if (++_requests == StallsAt && _stall > TimeSpan.Zero)
                {
                    using var never = new ManualResetEventSlim();
                    never.Wait(_stall);
                }
            }

            connection.Send(_answer);
        }
    }
}
