using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Tests.Interop;

/// <summary>The layouts of winnt.h, sysinfoapi.h and psapi.h, which are the same on x64 and arm64.</summary>
public sealed class LayoutTests
{
    public LayoutTests() => Assert.SkipUnless(Environment.Is64BitProcess, "The layouts are those of 64-bit processes.");

    [Fact]
    public void Sizes_AreThoseOfWindows()
    {
        Assert.Equal(16, Unsafe.SizeOf<GroupAffinity>());
        Assert.Equal(4, Unsafe.SizeOf<ProcessorNumber>());
        Assert.Equal(64, Unsafe.SizeOf<MemoryStatus>());
        Assert.Equal(16, Unsafe.SizeOf<MemoryParameter>());
        Assert.Equal(24, Unsafe.SizeOf<AddressRequirements>());
        Assert.Equal(16, Unsafe.SizeOf<WorkingSetPage>());
    }

    [Theory]
    [InlineData(typeof(GroupAffinity), nameof(GroupAffinity.Mask), 0)]
    [InlineData(typeof(GroupAffinity), nameof(GroupAffinity.Group), 8)]
    [InlineData(typeof(ProcessorNumber), nameof(ProcessorNumber.Group), 0)]
    [InlineData(typeof(ProcessorNumber), nameof(ProcessorNumber.Number), 2)]
    [InlineData(typeof(MemoryStatus), nameof(MemoryStatus.Length), 0)]
    [InlineData(typeof(MemoryStatus), nameof(MemoryStatus.TotalPhysical), 8)]
    [InlineData(typeof(MemoryStatus), nameof(MemoryStatus.AvailablePhysical), 16)]
    [InlineData(typeof(MemoryParameter), nameof(MemoryParameter.Value), 8)]
    [InlineData(typeof(AddressRequirements), nameof(AddressRequirements.Alignment), 16)]
    [InlineData(typeof(WorkingSetPage), nameof(WorkingSetPage.Attributes), 8)]
    public void Field_IsWhereWindowsHasIt(Type type, string field, int offset) =>
        Assert.Equal(offset, (int)Marshal.OffsetOf(type, field));

    [Theory]
    [InlineData(0x0000_0000u, -1)]
    [InlineData(0x0005_0000u, -1)]
    [InlineData(0x0000_0041u, 0)]
    [InlineData(0x0005_0001u, 5)]
    [InlineData(0xFFFF_FFFFu, 63)]
    public void WorkingSetPage_NodeId_IsThatOfPagesInMemory(uint attributes, int nodeId) =>
        Assert.Equal(nodeId, new WorkingSetPage(0, attributes).NodeId);

    [Fact]
    public void GroupAffinity_Reserved_IsZero()
    {
        var affinity = new GroupAffinity(0xFFFF, ulong.MaxValue);
        var bytes = MemoryMarshal.AsBytes(new Span<GroupAffinity>(ref affinity));
        Assert.Equal(-1, bytes[10..].IndexOfAnyExcept((byte)0));
    }
}
