namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A load that measures its own time.</summary>
/// <param name="measure">Does so many operations and gives the nanoseconds that all of them took.</param>
/// <param name="owned">What was made for it.</param>
internal sealed class TimedLoad(Func<int, double> measure, IDisposable? owned = null) : ILoad
{
    public Slice Run(int operations) => new(operations, measure(operations), CpuNanoseconds: 0);

    public void Dispose() => owned?.Dispose();
}
