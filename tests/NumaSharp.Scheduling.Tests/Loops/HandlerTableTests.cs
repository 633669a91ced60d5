using Microsoft.Win32.SafeHandles;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class HandlerTableTests
{
    private readonly HandlerTable _table = new();
    private readonly SafeFileHandle _descriptor = new(-1, ownsHandle: false);

    [Fact]
    public void Find_Registered_GivesTheHandler()
    {
        var handler = new RecordingHandler();

        Assert.Same(handler, _table.Find(Add(handler)));
        Assert.Equal(1, _table.Count);
    }

    [Fact]
    public void Find_StaleEventOfAReusedSlot_GivesNothing()
    {
        var first = new RecordingHandler();
        var stale = Add(first);
        _table.Remove(first);
        var successor = new RecordingHandler();
        var data = Add(successor);

        Assert.Equal((uint)stale, (uint)data);
        Assert.Null(_table.Find(stale));
        Assert.Same(successor, _table.Find(data));
    }

    [Fact]
    public void Add_ManyHandlers_GrowsAndKeepsAll()
    {
        var handlers = Enumerable.Range(0, 2000).Select(static _ => new RecordingHandler()).ToArray();
        var data = handlers.Select(Add).ToArray();

        Assert.All(handlers.Zip(data), pair => Assert.Same(pair.First, _table.Find(pair.Second)));
    }

    [Fact]
    public void Add_AlreadyRegistered_Throws()
    {
        var handler = new RecordingHandler();
        Add(handler);

        Assert.Throws<InvalidOperationException>(() => Add(handler));
    }

    [Fact]
    public void Remove_Twice_IsHarmless()
    {
        var handler = new RecordingHandler();
        Add(handler);
        _table.Remove(handler);
        _table.Remove(handler);

        Assert.Equal(0, _table.Count);
    }

    [Theory]
    [InlineData(ulong.MaxValue)]
    [InlineData(12345UL)]
    public void Find_SlotThatNeverWas_GivesNothing(ulong data) => Assert.Null(_table.Find(data));

    [Fact]
    public void Snapshot_AfterRemoveAndChange_HasWhatIsRegisteredNow()
    {
        var (first, second) = (new RecordingHandler(), new RecordingHandler());
        Add(first);
        var data = Add(second);
        _table.Remove(first);
        _table.Change(second, interest: 7);

        var left = Assert.Single(_table.Snapshot());
        Assert.Same(second, left.Handler);
        Assert.Same(_descriptor, left.Descriptor);
        Assert.Equal((7u, data), (left.Interest, left.Data));
        Assert.Null(first.Descriptor);
    }

    private ulong Add(EventLoopHandler handler) => _table.Add(handler, _descriptor, interest: 1);
}
