using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

public sealed class SettingFormatTests
{
    private readonly SizeFormat _size = new(0, long.MaxValue);
    private readonly DurationFormat _duration = new(TimeSpan.Zero, TimeSpan.MaxValue);

    [Theory]
    [InlineData("0", 0)]
    [InlineData("65536", 65536)]
    [InlineData("64KiB", 65536)]
    [InlineData("64 kib", 65536)]
    [InlineData("512B", 512)]
    [InlineData("1MiB", 1048576)]
    [InlineData("3GiB", 3221225472)]
    [InlineData("2TiB", 2199023255552)]
    public void Size_WithUnit_IsBytes(string text, long bytes)
    {
        Assert.True(_size.TryParse(text, out var value));
        Assert.Equal(bytes, value);
    }

    [Theory]
    [InlineData("")]
    [InlineData("KiB")]
    [InlineData("64KB")]
    [InlineData("64k")]
    [InlineData("1.5MiB")]
    [InlineData("-1")]
    [InlineData("0x10")]
    [InlineData("1,024")]
    [InlineData("8388608TiB")]
    [InlineData("9223372036854775808")]
    [InlineData("٣")]
    public void Size_Ambiguous_IsRefused(string text) => Assert.False(_size.TryParse(text, out _));

    [Theory]
    [InlineData(0, "0")]
    [InlineData(1000, "1000")]
    [InlineData(65536, "64KiB")]
    [InlineData(1048576, "1MiB")]
    public void Size_AsText_ReadsBack(long bytes, string text)
    {
        Assert.Equal(text, _size.ToText(bytes));
        Assert.True(_size.TryParse(text, out var value));
        Assert.Equal(bytes, value);
    }

    [Theory]
    [InlineData("00:00:05", 5000)]
    [InlineData("00:01", 60_000)]
    [InlineData("1.00:00:00", 86_400_000)]
    [InlineData("00:00:00.250", 250)]
    [InlineData("5s", 5000)]
    [InlineData("1ms", 1)]
    [InlineData("1.5 s", 1500)]
    [InlineData("250US", 0.25)]
    [InlineData("2m", 120_000)]
    [InlineData("1h", 3_600_000)]
    [InlineData("1d", 86_400_000)]
    public void Duration_WithUnitOrClock_IsTime(string text, double milliseconds)
    {
        Assert.True(_duration.TryParse(text, out var value));
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), value);
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("0s", 0)]
    [InlineData("00:00:00", 0)]
    [InlineData("2s", 2000)]
    public void Duration_WithZero_NeedsNoUnitForIt(string text, double milliseconds)
    {
        var format = new DurationFormat(TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1), "never");
        Assert.True(format.TryParse(text, out var value));
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), value);
        Assert.True(format.IsAllowed(value));
        Assert.False(format.IsAllowed(TimeSpan.FromMilliseconds(1)));
        Assert.Equal("0", format.ToText(TimeSpan.Zero));
        Assert.StartsWith("0 (never) or a duration", format.Allowed, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("5")]
    [InlineData("s")]
    [InlineData("-1s")]
    [InlineData("1e9s")]
    [InlineData("5sec")]
    [InlineData("00:00:99")]
    [InlineData("99999999999999999999d")]
    public void Duration_Ambiguous_IsRefused(string text) => Assert.False(_duration.TryParse(text, out _));

    [Theory]
    [InlineData("100us")]
    [InlineData("1ms")]
    [InlineData("5s")]
    [InlineData("90s")]
    [InlineData("2h")]
    public void Duration_AsText_IsTheLargestWholeUnit(string text)
    {
        Assert.True(_duration.TryParse(text, out var value));
        Assert.Equal(text, _duration.ToText(value));
    }

    [Theory]
    [InlineData("strict", true, NumaBindMode.Strict)]
    [InlineData("Advisory", true, NumaBindMode.Advisory)]
    [InlineData("2", false, NumaBindMode.None)]
    [InlineData("None,Strict", false, NumaBindMode.None)]
    [InlineData("Preferred", false, NumaBindMode.None)]
    public void Choice_TakesNamesOnly(string text, bool parsed, NumaBindMode mode)
    {
        Assert.Equal(parsed, new ChoiceFormat<NumaBindMode>().TryParse(text, out var value));
        Assert.Equal(mode, value);
    }

    [Theory]
    [InlineData("0-3,8", true)]
    [InlineData("", true)]
    [InlineData("3-0", false)]
    [InlineData("all", false)]
    public void KernelList_TakesWhatTheKernelWrites(string text, bool parsed) =>
        Assert.Equal(parsed, new KernelListFormat().TryParse(text, out _));

    [Theory]
    [InlineData("/sys", true)]
    [InlineData("sys", false)]
    [InlineData("./sys", false)]
    [InlineData("/sys\0", false)]
    public void Folder_MustBeAbsolute(string text, bool allowed)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        Assert.Equal(allowed, new FolderFormat().IsAllowed(text));
    }
}
