using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Tests.Matrix;

/// <summary>The loops do what is timed: read every byte, visit every line.</summary>
public sealed unsafe class LoopTests : IDisposable
{
    private const int Size = 64 * 1024;

    private readonly byte* _buffer = (byte*)NativeMemory.AlignedAlloc(Size, 64);

    public LoopTests() => NativeMemory.Clear(_buffer, Size);

    public void Dispose() => NativeMemory.AlignedFree(_buffer);

    [Fact]
    public void Sum_AllWidths_IsThatOfEveryWord()
    {
        new Random(1).NextBytes(new Span<byte>(_buffer, Size));
        var expected = 0UL;
        foreach (var word in new ReadOnlySpan<ulong>(_buffer, Size / sizeof(ulong)))
        {
            expected += word;
        }

        Assert.Equal(expected, ReadLoop.Sum((nint)_buffer, Size));
        Assert.Equal(expected, ReadLoop.Sum128(_buffer, Size));
        Assert.Equal(expected, ReadLoop.Sum256(_buffer, Size));
        Assert.Equal(expected, ReadLoop.Sum512(_buffer, Size));
    }

    [Fact]
    public void Sum_SizeThatIsNoMultiple_Throws() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => ReadLoop.Sum((nint)_buffer, ReadLoop.Step + 8));

    [Fact]
    public void Link_Buffer_IsOneCycleThroughEveryLine()
    {
        var lines = PointerChase.Link((nint)_buffer, Size);
        var visited = new HashSet<nint>();
        var position = (nint)_buffer;
        while (visited.Add(position))
        {
            position = *(nint*)position;
        }

        Assert.Equal(Size / 64, lines);
        Assert.Equal(lines, visited.Count);
        Assert.Equal((nint)_buffer, position);
        Assert.All(visited, address => Assert.InRange(address, (nint)_buffer, (nint)_buffer + Size - 64));
    }

    [Fact]
    public void Follow_Steps_AreTakenOneByOne()
    {
        var lines = PointerChase.Link((nint)_buffer, Size);
        var position = (nint)_buffer;
        for (var i = 0; i < 80; i++)
        {
            position = *(nint*)position;
        }

        Assert.Equal(position, PointerChase.Follow((nint)_buffer, 80));
        Assert.Equal((nint)_buffer, PointerChase.Follow((nint)_buffer, lines));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void Loops_WhileTheyRun_AllocateNothing()
    {
        PointerChase.Link((nint)_buffer, Size);
        var (address, sink) = ((nint)_buffer, 0UL);

        Assert.Equal(0, Allocations.OfSteadyState(
            () => sink += ReadLoop.Sum(address, ReadLoop.Step) + (ulong)PointerChase.Follow(address, 8), 1000));
        Assert.NotEqual(0UL, sink);
    }
}
