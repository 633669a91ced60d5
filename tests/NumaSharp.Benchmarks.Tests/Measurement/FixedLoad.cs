using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

/// <summary>A load that claims what it took.</summary>
internal sealed class FixedLoad(Func<int, Slice> run) : ILoad
{
    public bool IsDisposed { get; private set; }

    public Slice Run(int operations) => run(operations);

    public void Dispose() => IsDisposed = true;
}
