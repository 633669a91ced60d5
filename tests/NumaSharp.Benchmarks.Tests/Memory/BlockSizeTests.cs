using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class BlockSizeTests
{
    [Theory]
    [InlineData(8, "8B")]
    [InlineData(512, "512B")]
    [InlineData(1024, "1K")]
    [InlineData(262144, "256K")]
    public void Label_Size_IsShort(int bytes, string expected) => Assert.Equal(expected, BlockSize.Label(bytes));
}
