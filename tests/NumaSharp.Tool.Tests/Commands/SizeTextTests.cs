using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Commands;

public sealed class SizeTextTests
{
    [Theory]
    [InlineData("4096", 4096)]
    [InlineData("64KiB", 64 << 10)]
    [InlineData("256MiB", 256 << 20)]
    [InlineData("1 gib", 1 << 30)]
    public void TryParse_Size_IsInBytes(string text, long bytes)
    {
        Assert.True(SizeText.TryParse(text, out var parsed));
        Assert.Equal(bytes, parsed);
    }

    [Theory]
    [InlineData("")]
    [InlineData("MiB")]
    [InlineData("-1")]
    [InlineData("1.5GiB")]
    [InlineData("1MB")]
    [InlineData("99999999999GiB")]
    public void TryParse_AnythingElse_IsRefused(string text) => Assert.False(SizeText.TryParse(text, out _));

    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(1000, "1000 B")]
    [InlineData(1536, "1.5 KiB")]
    [InlineData(1 << 20, "1 MiB")]
    public void Format_Bytes_HasAUnit(long bytes, string text) => Assert.Equal(text, SizeText.Format(bytes));
}
