using System.Buffers;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class SegmentChainTests : IDisposable
{
    private readonly NumaMemoryPool _pool = new(0);
    private SegmentChain _chain;

    public SegmentChainTests() => _chain = new SegmentChain(_pool);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void Append_SeveralBlocks_AreOneSequence()
    {
        Append("ab");
        Append("cde");
        Append("f");

        var sequence = new ReadOnlySequence<byte>(_chain.Head!, 1, _chain.Tail!, 1);
        Assert.Equal("bcdef"u8.ToArray(), sequence.ToArray());
        Assert.Equal(5, sequence.Length);
    }

    [Fact]
    public void Contains_SegmentOfTheChainOrNot_SaysWhich()
    {
        Append("ab");
        var first = _chain.Head!;
        Append("cd");
        Append("ef");
        Assert.True(_chain.Contains(first) && _chain.Contains(first.NextSegment!) && _chain.Contains(_chain.Tail!));
        _chain.RemoveHead();
        Assert.False(_chain.Contains(first));
    }

    [Fact]
    public void RemoveHead_AllRemoved_HoldsNoBlock()
    {
        var rented = _pool.RentedBlocks;
        Append("ab");
        Append("cd");
        Assert.Equal(rented + 2, _pool.RentedBlocks);
        _chain.RemoveHead();
        _chain.RemoveHead();

        Assert.Null(_chain.Head);
        Assert.Null(_chain.Tail);
        Assert.Equal(rented, _pool.RentedBlocks);
    }

    [Fact]
    public void RemoveTail_OfSeveral_KeepsTheOthersLinked()
    {
        Append("ab");
        Append("cd");
        _chain.Append(1);
        _chain.RemoveTail();
        Append("ef");

        Assert.Equal("abcdef"u8.ToArray(), new ReadOnlySequence<byte>(_chain.Head!, 0, _chain.Tail!, 2).ToArray());
    }

    [Fact]
    public void RemoveTail_OfOne_EmptiesTheChain()
    {
        _chain.Append(1);
        _chain.RemoveTail();

        Assert.Null(_chain.Head);
        Assert.Null(_chain.Tail);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void AppendAndRemove_SteadyState_AllocatesNothing()
    {
        Assert.Equal(0, Allocations.OfSteadyState(Cycle));
    }

    private void Cycle()
    {
        _chain.Append(4096);
        _chain.Append(16384);
        _chain.RemoveHead();
        _chain.RemoveHead();
    }

    private void Append(string text)
    {
        var segment = _chain.Append(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            segment.FreeSpan[i] = (byte)text[i];
        }

        segment.Fill(text.Length);
        segment.Publish();
    }
}
