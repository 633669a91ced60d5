using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class HugePageShareTests
{
    private static readonly string[] s_smaps =
    [
        "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 ", "Size:               4096 kB", "AnonHugePages:      4096 kB",
        "7f0000400000-7f0000800000 rw-p 00000000 00:00 0 [anon: x]", "AnonHugePages:      2048 kB", "VmFlags: rd wr",
        "7f0000800000-7f0000c00000 rw-p 00000000 00:00 0 ", "AnonHugePages:      4096 kB",
    ];

    [Fact]
    public void Sum_Mappings_CountsThoseInTheRange() =>
        Assert.Equal(6L << 20, HugePageShare.Sum(s_smaps, 0x7f0000000000, 0x7f0000800000));

    [Fact]
    public void Sum_MappingThatIsLarger_CountsNoMoreThanTheRange() =>
        Assert.Equal(1L << 20, HugePageShare.Sum(s_smaps, 0x7f0000000000, 0x7f0000100000));

    [Fact]
    public void Sum_RangeElsewhere_IsZero() => Assert.Equal(0, HugePageShare.Sum(s_smaps, 0x1000, 0x2000));
}
