using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>Handlers that change the loop's thread.</summary>
public sealed class SpoiltLoopThreadTests : IDisposable
{
    private readonly LateThread _late = new();
    private readonly NumaEventLoopGroup _group;

    public SpoiltLoopThreadTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var options = new NumaEventLoopGroupOptions();
        _late.Configure(options);
        _group = new NumaEventLoopGroup(
            NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 }), options);
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group.Dispose();

    [Fact]
    public void Holder_HasDispatchedWhatThereIs_IsRestored()
    {
        SpoiltThread? thread = null;
        var handler = new RecordingHandler(_ => thread = SpoiltThread.Current());
        Loop.Post(handler);
        handler.WaitForReturn();

        thread!.WaitUntilRestored();
    }

    [Fact]
    public void LateThread_BecomesASpare_IsRestored()
    {
        SpoiltThread? thread = null;
        using var release = new Gate();
        var handler = new RecordingHandler(_ =>
        {
            thread = SpoiltThread.Current();
            _late.LoseLoop(Loop);
            release.Pass();
        });
        Loop.Post(handler);
        handler.WaitForHandOver();
        Assert.False(thread!.IsRestored);
        release.Open();

        thread.WaitUntilRestored();
    }
}
