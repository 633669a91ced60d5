using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

public sealed class CpuSetTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("\n", "")]
    [InlineData(",,", "")]
    [InlineData("0", "0")]
    [InlineData(" 3 , 1-2\n", "1-3")]
    [InlineData("0-3,8,10-11", "0-3,8,10-11")]
    [InlineData("5,5,5-5", "5")]
    [InlineData("4-7,0-5", "0-7")]
    [InlineData("63-64,127-128", "63-64,127-128")]
    [InlineData("0-31:2/4", "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29")]
    [InlineData("1-6:3/4", "1-3,5-6")]
    [InlineData("0-9:4/4", "0-9")]
    [InlineData("7:1/65535", "7")]
    [InlineData("65535", "65535")]
    public void ParseList_KernelList_GivesIds(string text, string expected) =>
        Assert.Equal(expected, CpuSet.ParseList(text).ToString());

    [Theory]
    [InlineData("a")]
    [InlineData("1-")]
    [InlineData("-1")]
    [InlineData("+1")]
    [InlineData("3-1")]
    [InlineData("1-2-3")]
    [InlineData("1 2")]
    [InlineData("65536")]
    [InlineData("0-65536")]
    [InlineData("4294967296")]
    [InlineData("99999999999999999999999999")]
    [InlineData("0x1")]
    [InlineData("1:")]
    [InlineData("1-4:2")]
    [InlineData("1-4:/2")]
    [InlineData("1-4:2/")]
    [InlineData("1-4:0/2")]
    [InlineData("1-4:3/2")]
    [InlineData("1-4:2/0")]
    [InlineData("1-4:2/99999999")]
    [InlineData("١")]
    public void TryParseList_Malformed_IsRefused(string text)
    {
        Assert.False(CpuSet.TryParseList(text, out var set));
        Assert.Null(set);
        Assert.Throws<FormatException>(() => CpuSet.ParseList(text));
    }

    [Theory]
    [InlineData("0", "")]
    [InlineData("f", "0-3")]
    [InlineData("0xFF\n", "0-7")]
    [InlineData("00000000,0000000f", "0-3")]
    [InlineData("1,00000001", "0,32")]
    [InlineData("1,1", "0,32")]
    [InlineData("0000,00000011,11111111", "0,4,8,12,16,20,24,28,32,36")]
    [InlineData("03", "0-1")]
    [InlineData("aaaa0", "5,7,9,11,13,15,17,19")]
    [InlineData("10000000000000000000000000000000", "124")]
    public void TryParseMask_KernelMask_GivesIds(string text, string expected)
    {
        Assert.True(CpuSet.TryParseMask(text, out var set));
        Assert.Equal(expected, set.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData("0x")]
    [InlineData(",")]
    [InlineData("f,")]
    [InlineData(",f")]
    [InlineData("f,,f")]
    [InlineData("g")]
    [InlineData("f f")]
    [InlineData("-1")]
    [InlineData("123456789,0")]
    [InlineData("0,123456789")]
    public void TryParseMask_Malformed_IsRefused(string text)
    {
        Assert.False(CpuSet.TryParseMask(text, out var set));
        Assert.Null(set);
    }

    [Fact]
    public void TryParseMask_WidestMask_EndsAtMaxId()
    {
        var digits = (CpuSet.MaxId + 1) / 4;
        Assert.True(CpuSet.TryParseMask("8" + new string('0', digits - 1), out var set));
        Assert.Equal(CpuSet.MaxId, set.First);
        Assert.False(CpuSet.TryParseMask("1" + new string('0', digits), out _));
        Assert.True(CpuSet.TryParseMask(new string('0', digits * 2) + "1", out set));
        Assert.Equal(0, set.Last);
    }

    [Theory]
    [InlineData("0-65535:1/2,")]
    [InlineData("0-65535,")]
    [InlineData("0-65535:32767/32768,")]
    public void TryParseList_WideRangesWithoutEnd_AreRefusedBeforeTheEnd(string part)
    {
        var text = string.Concat(Enumerable.Repeat(part, 100_000));

        // One is a list, so that only the bound refuses many: without it they take minutes.
        Assert.True(CpuSet.TryParseList(part, out _));
        Assert.False(CpuSet.TryParseList(text, out _));
    }

    [Fact]
    public void TryParseList_EveryOtherIdOfAll_IsAccepted()
    {
        Assert.True(CpuSet.TryParseList("0-65535:1/2", out var set));
        Assert.Equal((CpuSet.MaxId + 1) / 2, set.Count);
    }

    [Fact]
    public void ParseList_LongText_IsQuotedShortly()
    {
        var exception = Assert.Throws<FormatException>(static () => CpuSet.ParseList(new string('x', 100_000)));
        Assert.InRange(exception.Message.Length, 1, 300);
    }

    [Theory]
    [InlineData("", "00000000")]
    [InlineData("0-3", "0000000f")]
    [InlineData("31", "80000000")]
    [InlineData("32", "00000001,00000000")]
    [InlineData("0,64", "00000001,00000000,00000001")]
    public void ToMaskString_Set_IsKernelMask(string list, string expected) =>
        Assert.Equal(expected, CpuSet.ParseList(list).ToMaskString());

    [Fact]
    public void Empty_Always_HasNothing()
    {
        Assert.Empty(CpuSet.Empty);
        Assert.True(CpuSet.Empty.IsEmpty);
        Assert.Equal(-1, CpuSet.Empty.First);
        Assert.Equal(-1, CpuSet.Empty.Last);
        Assert.Equal(CpuSet.Empty, CpuSet.Range(5, 0));
        Assert.Equal(CpuSet.Empty, CpuSet.FromWords([0, 0]));
        Assert.True(CpuSet.Empty.IsSubsetOf(CpuSet.Empty));
        Assert.False(CpuSet.Empty.Overlaps(CpuSet.Range(0, 9)));
    }

    [Fact]
    public void Contains_IdOutsideOfTheRange_IsFalse()
    {
        var set = CpuSet.Range(0, 64);
        Assert.All([-1, int.MinValue, 64, int.MaxValue, CpuSet.MaxId], id => Assert.DoesNotContain(id, set));
        Assert.False(set.Contains(-64));
        Assert.False(set.Contains(int.MinValue));
    }

    [Fact]
    public void Constructors_IdOutsideOfTheRange_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.FromIds(-1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.FromIds(CpuSet.MaxId + 1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.Range(CpuSet.MaxId, 2));
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.Range(1, int.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.Range(-1, 1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => CpuSet.FromWords([.. new ulong[(CpuSet.MaxId + 1) / 64], 1UL]));
        Assert.Throws<ArgumentNullException>(static () => CpuSet.FromIds((IEnumerable<int>)null!));
    }

    [Theory]
    [InlineData("0-3", "0-3", true)]
    [InlineData("", "", true)]
    [InlineData("0-3", "0-2", false)]
    [InlineData("0-3", null, false)]
    [InlineData(null, "0-3", false)]
    [InlineData(null, null, true)]
    public void Operators_TwoSets_CompareIds(string? left, string? right, bool areEqual)
    {
        var one = left is null ? null : CpuSet.ParseList(left);
        var other = right is null ? null : CpuSet.ParseList(right);
        Assert.Equal((areEqual, !areEqual), (one == other, one != other));
    }

    [Fact]
    public void FromWords_ZeroWordsAboveMaxId_AreFine() =>
        Assert.Equal(0, CpuSet.FromWords([1UL, .. new ulong[(CpuSet.MaxId + 1) / 64]]).Last);

    [Fact]
    public void FromWords_LaterChangesOfTheArray_DoNotReachTheSet()
    {
        ulong[] words = [1];
        var set = CpuSet.FromWords(words);
        words[0] = 2;
        Assert.Equal("0", set.ToString());
    }
}
