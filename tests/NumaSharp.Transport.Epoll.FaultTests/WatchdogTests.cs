using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>epoll fails on the watchdog, or other code closes its descriptors: it still hands over blocked loops.</summary>
public sealed partial class WatchdogTests : IDisposable
{
    private const int CloseOnExec = 0x80000;
    private const string WatchdogsWait = "epoll_wait of the watchdog";

    private readonly NumaFallbacks _fallbacks = new();
    private readonly Gate _release = new();
    private readonly int _descriptors = Descriptors.Count();
    private readonly NumaEventLoopGroup _group;

    public WatchdogTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        _group = new NumaEventLoopGroup(
            TestMachines.OneCpu().Plan(), new NumaEventLoopGroupOptions { Fallbacks = _fallbacks, Progress = new AlwaysLate() });
    }

    public static TheoryData<string, string> StartRows => ManPages.Rows("timerfd_create");

    public static TheoryData<string, string> SetRows => ManPages.Rows("timerfd_settime");

    public void Dispose()
    {
        _release.Dispose();
        _group?.Dispose();
    }

    [Theory]
    [MemberData(nameof(StartRows))]
    public void Start_NoTimer_FailsAndTheNextOneWorks(string call, string error)
    {
        using (new Fault(call, ManPages.NumberOf(error)))
        {
            Assert.Equal(error, Assert.Throws<NumaException>(() => _group.Loops).Result?.ErrorName);
        }

        Assert.Equal(_descriptors, Descriptors.Count());
        AssertHandsOver();
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [MemberData(nameof(SetRows))]
    public void Timer_CannotBeSet_TheWatchdogPolls(string call, string error)
    {
        using var fault = new Fault(call, ManPages.NumberOf(error), times: int.MaxValue);
        AssertHandsOver();

        AssertPolls($"({call}: {error})");
    }

    [Fact]
    public void Wait_Fails_TheWatchdogPolls()
    {
        using var fault = new Fault(WatchdogsWait, Errno.EBADF);
        AssertHandsOver();

        AssertPolls("(epoll_wait: EBADF)");
    }

    [Fact]
    public void Timer_ClosedByOtherCode_TheWatchdogPollsAndClosesNoOther()
    {
        AssertHandsOver();
        Wait.Until(() => !_group.Loops[0].IsWatched);
        var closed = Fault.LastDescriptorOf("timerfd_settime");
        using (var stranger = TakeOver(closed))
        {
            AssertHandsOver();
            AssertPolls("(timerfd_settime: EINVAL)");
            _release.Open();
            _group.Dispose();

            Assert.True(stranger.Signal().Succeeded);
            Assert.Empty(_fallbacks.Current);
        }
    }

    // Closed and opened as another's in one step: in between, any thread of the process might be given the number.
    private static EventFdHandle TakeOver(int number)
    {
        EventFdHandle.Create(out var eventFd).ThrowIfFailed("eventfd");
        using (eventFd)
        {
            SysResult.FromReturn(Duplicate(eventFd!.Number, number, CloseOnExec)).ThrowIfFailed("dup3");
        }

        return new EventFdHandle(number);
    }

    [LibraryImport("libc", EntryPoint = "dup3", SetLastError = true)]
    private static partial int Duplicate(int number, int wanted, int flags);

    private void AssertHandsOver()
    {
        var before = _group.Loops[0].HandOvers;
        _group.Loops[0].Post(new BlockingHandler(_release));
        Wait.Until(() => _group.Loops[0].HandOvers > before);
    }

    private void AssertPolls(string cause)
    {
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal("loop.watchdog", fallback.Feature);
        Assert.Contains(cause, fallback.Message, StringComparison.Ordinal);
    }

    private sealed class BlockingHandler(Gate release) : EventLoopHandler
    {
        protected internal override void OnReady(EventLoopEvents events) => release.Pass();
    }

    private sealed class AlwaysLate : ThreadProgress
    {
        public override TimeSpan? Begin(int threadId) => null;

        public override bool IsLate(int threadId, TimeSpan? begun) => true;
    }
}
