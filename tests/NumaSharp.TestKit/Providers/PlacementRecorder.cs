using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// A provider that places memory which is not its own, as arrays are placed; it has none itself. Not a SimulatedMachine, whose
/// calls do not say which address was placed.
/// </summary>
public sealed class PlacementRecorder : INumaMemoryProvider
{
    public string Name => "Recorder";

    public nuint PageSize => (nuint)Environment.SystemPageSize;

    public NumaResult BindAnswer { get; set; } = NumaResult.Success;

    public List<(nint Address, nuint Size, NumaPlacement Placement)> Binds { get; } = [];

    /// <summary>The bytes that were discarded before they were used.</summary>
    public nuint DiscardedBytes { get; private set; }

    public NumaResult Reserve(nuint size, nuint alignment, out nint address) => throw new NotSupportedException();

    public NumaResult Commit(nint address, nuint size) => throw new NotSupportedException();

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        Binds.Add((address, size, placement));
        return BindAnswer;
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice)
    {
        Assert.Equal(NumaMemoryAdvice.Discard, advice);
        DiscardedBytes += size;
        return NumaResult.Success;
    }

    public NumaResult Release(nint address, nuint size) => throw new NotSupportedException();

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => throw new NotSupportedException();
}
