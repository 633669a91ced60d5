using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Commands;

public sealed class SizeTextTests
{
    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(1000, "1000 B")]
    [InlineData(1536, "1.5 KiB")]
    [InlineData(1 << 20, "1 MiB")]
    [InlineData(long.MaxValue, "8388608 TiB")]
    public void Format_Bytes_HasAUnit(long bytes, string text) => Assert.Equal(text, SizeText.Format(bytes));
}
