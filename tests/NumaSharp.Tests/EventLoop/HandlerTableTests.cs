using NumaSharp.EventLoop;

namespace NumaSharp.Tests.EventLoop;

public sealed class HandlerTableTests
{
    private readonly HandlerTable _table = new();

    [Fact]
    public void Find_Registered_GivesTheHandler()
    {
        var handler = new RecordingHandler();

        Assert.Same(handler, _table.Find(_table.Add(handler)));
        Assert.Equal(1, _table.Count);
    }

    [Fact]
    public void Find_StaleEventOfAReusedSlot_GivesNothing()
    {
        var first = new RecordingHandler();
        var stale = _table.Add(first);
        _table.Remove(first);
        var successor = new RecordingHandler();
        var data = _table.Add(successor);

        Assert.Equal((uint)stale, (uint)data);
        Assert.Null(_table.Find(stale));
        Assert.Same(successor, _table.Find(data));
    }

    [Fact]
    public void Add_ManyHandlers_GrowsAndKeepsAll()
    {
        var handlers = Enumerable.Range(0, 2000).Select(static _ => new RecordingHandler()).ToArray();
        var data = handlers.Select(_table.Add).ToArray();

        Assert.All(handlers.Zip(data), pair => Assert.Same(pair.First, _table.Find(pair.Second)));
    }

    [Fact]
    public void Add_AlreadyRegistered_Throws()
    {
        var handler = new RecordingHandler();
        _table.Add(handler);

        Assert.Throws<InvalidOperationException>(() => _table.Add(handler));
    }

    [Fact]
    public void Remove_Twice_IsHarmless()
    {
        var handler = new RecordingHandler();
        _table.Add(handler);
        _table.Remove(handler);
        _table.Remove(handler);

        Assert.Equal(0, _table.Count);
    }

    [Theory]
    [InlineData(ulong.MaxValue)]
    [InlineData(12345UL)]
    public void Find_SlotThatNeverWas_GivesNothing(ulong data) => Assert.Null(_table.Find(data));
}
