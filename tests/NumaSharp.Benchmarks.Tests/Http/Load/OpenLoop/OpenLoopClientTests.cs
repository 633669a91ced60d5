using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

namespace NumaSharp.Benchmarks.Tests.Http.Load.OpenLoop;

public sealed class OpenLoopClientTests
{
    private const int Connections = 4;
    private const int Rate = 500;

    // The machine of a test may be busy.
    private const double AnyLateness = 1;

    // Behind the warm-up, within the run: of the connections' first requests and the 25 of the warm-up.
    private const int StallsAt = Connections + 25 + 20;

    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_length = TimeSpan.FromMilliseconds(200);

    public OpenLoopClientTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The client waits by epoll.");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_ServerThatAnswers_HasEveryRequestOfTheSchedule(bool sleeps)
    {
        using var server = new PongServer();
        using var client = new OpenLoopClient(server.Port, Connections, sleeps, AnyLateness);

        // The second run has nothing of the first.
        for (var run = 0; run < 2; run++)
        {
            var report = client.Run(s_warmUp, s_length, Rate);

            Assert.Equal(100, report.MeasuredRequests);
            Assert.Equal(125, report.Requests);
            Assert.Equal(125 * server.AnswerBytes, report.Bytes);

            // Asleep until something is due: a wait that nothing ends takes a second.
            Assert.True(report.P50Microseconds < 500_000, $"p50 is {report.P50Microseconds} us");
        }
    }

    // A closed loop of four connections would see four slow answers; here all of those that were due are slow.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_ServerThatStalls_ChargesEveryRequestThatWasDueMeanwhile(bool sleeps)
    {
        var stall = TimeSpan.FromMilliseconds(100);
        using var never = new ManualResetEventSlim();
        using var server = new PongServer(request => never.Wait(request == StallsAt ? stall : TimeSpan.Zero));
        using var client = new OpenLoopClient(server.Port, Connections, sleeps, AnyLateness);

        var report = client.Run(s_warmUp, s_length, Rate);

        // Due all over the stall: half of them wait for more than half of it, the last of the measured 100 for none.
        Assert.Equal(100, report.MeasuredRequests);
        Assert.True(report.P99Microseconds > stall.TotalMicroseconds / 2, $"p99 is {report.P99Microseconds} us");
    }

    [Fact]
    public void Constructor_ServerThatAnswersSomethingElse_Throws()
    {
        using var server = new PongServer(status: "404 Not Found");

        Assert.Throws<BenchmarkException>(() => new OpenLoopClient(server.Port, Connections, sleeps: false, AnyLateness));
    }
}
