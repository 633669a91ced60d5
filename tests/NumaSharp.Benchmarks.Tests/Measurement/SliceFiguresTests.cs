using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class SliceFiguresTests
{
    [Fact]
    public void LongWait_SliceInWhichTheMachineStoodStill_DoesNotCount()
    {
        var round = Slice.Sum([Waits(1), Waits(1_000_000), Waits(101)]);

        Assert.Equal(199, SliceFigures.LongWait.Of(round));
        Assert.Equal(150, SliceFigures.MedianWait.Of(round));

        static Slice Waits(int first) => new(100, 1, 1, Enumerable.Range(first, 100).ToArray());
    }
}
