using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class BlockSizerTests
{
    [Fact]
    public void Note_FullBlocks_GrowsToTheLargest()
    {
        var sizer = new BlockSizer(1 << 20);
        Assert.Equal(4 << 10, sizer.Size);
        sizer.Note(4 << 10, wasFull: true);
        Assert.Equal(16 << 10, sizer.Size);
        sizer.Note(16 << 10, wasFull: true);
        Assert.Equal(128 << 10, sizer.Size);
        sizer.Note(128 << 10, wasFull: true);
        Assert.Equal(128 << 10, sizer.Size);
    }

    [Fact]
    public void Note_SeveralSmallOnes_ShrinksByAStep()
    {
        var sizer = new BlockSizer(1 << 20);
        sizer.Note(4 << 10, wasFull: true);
        for (var i = 0; i < 3; i++)
        {
            sizer.Note(100, wasFull: false);
            Assert.Equal(16 << 10, sizer.Size);
        }

        sizer.Note(100, wasFull: false);
        Assert.Equal(4 << 10, sizer.Size);
    }

    [Fact]
    public void Note_OneThatNeedsTheSizeInBetween_KeepsIt()
    {
        var sizer = new BlockSizer(1 << 20);
        sizer.Note(4 << 10, wasFull: true);
        for (var i = 0; i < 20; i++)
        {
            sizer.Note(i % 3 == 0 ? 8 << 10 : 100, wasFull: false);
        }

        Assert.Equal(16 << 10, sizer.Size);
    }

    [Theory]
    [InlineData(4 << 10, 4 << 10)]
    [InlineData(100 << 10, 16 << 10)]
    [InlineData(128 << 10, 128 << 10)]
    public void Size_NeverAboveTheMaximum(int maximum, int largest)
    {
        var sizer = new BlockSizer(maximum);
        for (var i = 0; i < 5; i++)
        {
            sizer.Note(sizer.Size, wasFull: true);
        }

        Assert.Equal(largest, sizer.Size);
    }
}
