using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Http.Load;

public sealed class LoadWindowTests
{
    private readonly LoadWindow _window = new(new ProcessCpuClock(Environment.ProcessId));

    // What follows costs the server CPU time, such as closing the connections.
    [Fact]
    public void End_Twice_IsThatOfTheFirstTime()
    {
        _window.Begin();
        var first = _window.End();
        UseCpuTime();

        Assert.Equal(first, _window.End());
    }

    [Fact]
    public void End_AfterWork_HasItsCpuTimeAndNothingBefore()
    {
        var clock = new ProcessCpuClock(Environment.ProcessId);
        UseCpuTime();
        var before = clock.ReadNanoseconds();
        _window.Begin();
        var spent = UseCpuTime();
        var counted = _window.End();

        Assert.InRange(counted, spent, clock.ReadNanoseconds() - before);
    }

    [Fact]
    public void End_NotBegun_Throws() => Assert.Throws<InvalidOperationException>(() => _window.End());

    [Fact]
    public async Task BeginQuietly_ServersThatWork_BeginsAfterwards()
    {
        var quiet = new TaskCompletionSource();
        var window = new LoadWindow(new ProcessCpuClock(Environment.ProcessId), _ => quiet.Task);
        var beginning = window.BeginQuietlyAsync(TestContext.Current.CancellationToken);
        Assert.False(window.Begun.IsCompleted);
        quiet.SetResult();
        await beginning;

        Assert.True(window.Begun.IsCompleted);
    }

    [Fact]
    public void Begun_Begin_IsCompleted()
    {
        Assert.False(_window.Begun.IsCompleted);
        _window.Begin();
        Assert.True(_window.Begun.IsCompleted);
    }

    private static long UseCpuTime()
    {
        var clock = new ProcessCpuClock(Environment.ProcessId);
        var before = clock.ReadNanoseconds();
        long spent;
        do
        {
            spent = clock.ReadNanoseconds() - before;
        }
        while (spent == 0);

        return spent;
    }
}
