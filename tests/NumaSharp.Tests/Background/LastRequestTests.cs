using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

/// <summary>Requests that call code which is not the library's: it may come back, on this thread or on another one.</summary>
public sealed class LastRequestTests
{
    private readonly LastRequest _requests = new();
    private readonly List<string> _done = [];

    [Fact]
    public void Run_Alone_HasRunWhenItReturns()
    {
        _requests.Run(() => _done.Add("first"));
        _requests.Run(() => _done.Add("second"));
        Assert.Equal(["first", "second"], _done);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_WithinAnother_RunsAfterItAndOnlyTheLast(bool isFromAnotherThread)
    {
        _requests.Run(() =>
        {
            if (isFromAnotherThread)
            {
                TestThreads.Run(RunTwo);
            }
            else
            {
                RunTwo();
            }

            _done.Add("first");
        });
        Assert.Equal(["first", "third"], _done);

        void RunTwo()
        {
            _requests.Run(() => _done.Add("second"));
            _requests.Run(() => _done.Add("third"));
        }
    }

    [Fact]
    public void Run_OneThrows_TheNextRunsAllTheSame()
    {
        Assert.Throws<InvalidTimeZoneException>(() => _requests.Run(() =>
        {
            _requests.Run(() => _done.Add("second"));
            throw new InvalidTimeZoneException();
        }));
        _requests.Run(() => _done.Add("third"));
        Assert.Equal(["second", "third"], _done);
    }

    [Fact]
    public void WaitUntilIdle_OnTheThreadOfTheRequest_DoesNotWait() =>
        _requests.Run(() => Assert.True(_requests.WaitUntilIdle(Timeout.InfiniteTimeSpan)));

    [Fact]
    public void WaitUntilIdle_OnAnotherThread_WaitsForTheEnd()
    {
        using var gate = new Gate();
        using var isThere = new ManualResetEventSlim();
        var running = Task.Run(() => _requests.Run(() =>
        {
            isThere.Set();
            gate.Pass();
            _done.Add("first");
        }));
        Wait.For(isThere);
        Assert.False(_requests.WaitUntilIdle(TimeSpan.Zero));

        gate.Open();
        Assert.True(_requests.WaitUntilIdle(Wait.Limit));
        Assert.Equal(["first"], _done);
        Wait.For(running);
    }
}
