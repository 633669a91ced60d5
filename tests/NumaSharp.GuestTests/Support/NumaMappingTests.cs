using NumaSharp.GuestProbe;

namespace NumaSharp.GuestTests.Support;

/// <summary>The witness itself; needs no guest.</summary>
public sealed class NumaMappingTests
{
    private static readonly string[] s_lines =
    [
        "55d0c8a00000 default file=/usr/bin/dotnet mapped=12 N0=12 kernelpagesize_kB=4",
        "7f2c4d400000 prefer:1 anon=32 dirty=32 N0=1 N1=31 kernelpagesize_kB=4",
        "7f2c4d600000 prefer (many)=static:1-2 anon=2 dirty=2 active=0 N2=2 kernelpagesize_kB=4",
        "7f2c4d700000 weighted interleave=static:0-1 anon=4 dirty=4 N0=3 N1=1 kernelpagesize_kB=4",
        "7f2c4d800000 bind=static:1 kernelpagesize_kB=4",
        "7fffffffe000 default stack anon=3 dirty=3 N1=3 kernelpagesize_kB=4",
    ];

    [Theory]
    [InlineData(0x55d0c8a00000, "default", "0=12")]
    [InlineData(0x7f2c4d400000, "prefer:1", "0=1,1=31")]
    [InlineData(0x7f2c4d5fffff, "prefer:1", "0=1,1=31")]
    [InlineData(0x7f2c4d600001, "prefer(many):1-2", "2=2")]
    [InlineData(0x7f2c4d700000, "weightedinterleave:0-1", "0=3,1=1")]
    [InlineData(0x7f2c4d800000, "bind:1", "")]
    [InlineData(0x7fffffffffff, "default", "1=3")]
    public void Find_AddressInAMapping_HasItsPolicyAndPages(long address, string policy, string pages)
    {
        var mapping = NumaMapping.Find(s_lines, (nuint)address);
        Assert.Equal(policy, mapping.Policy);
        Assert.Equal(pages, string.Join(',', mapping.PagesByNode.Select(static at => $"{at.Key}={at.Value}")));
    }

    [Fact]
    public void Find_AddressBelowAllMappings_Throws() =>
        Assert.Throws<ArgumentException>(static () => NumaMapping.Find(s_lines, 4096));
}
