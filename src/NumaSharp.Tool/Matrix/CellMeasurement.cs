namespace NumaSharp.Tool.Matrix;

/// <summary>
/// Measures a buffer from the thread that it is called on. What is timed allocates nothing and is compiled beforehand; the
/// first pass, which brings the translations of addresses and the clock of the core to where they stay, is not counted.
/// </summary>
internal sealed class CellMeasurement(TimeProvider time, int repeat)
{
    // A quarter of a second on slow memory; enough for the timer's own resolution not to count.
    private const int MaxSteps = 1024 * 1024;

    private ulong _sink;

    /// <summary>What the loops computed: somebody could look at it, so they cannot be left out.</summary>
    public ulong Sink => _sink;

    public MatrixFigures Measure(NodeBuffer buffer, CancellationToken cancellation)
    {
        var readSeconds = new double[repeat];
        var latencySeconds = new double[repeat];
        var steps = Math.Min(buffer.Lines, MaxSteps) / PointerChase.Unrolled * PointerChase.Unrolled;
        var position = buffer.Address;
        for (var i = -1; i < repeat; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            var read = TimeRead(buffer);
            var latency = TimeChase(ref position, steps);
            if (i >= 0)
            {
                (readSeconds[i], latencySeconds[i]) = (read, latency);
            }
        }

        var seconds = Median(readSeconds);
        return new MatrixFigures(TimeSpan.FromSeconds(seconds), buffer.Size / seconds / 1e9, Median(latencySeconds) * 1e9);
    }

    private double TimeRead(NodeBuffer buffer)
    {
        var started = time.GetTimestamp();
        _sink += ReadLoop.Sum(buffer.Address, (nuint)buffer.Size);
        return time.GetElapsedTime(started).TotalSeconds;
    }

    private double TimeChase(ref nint position, int steps)
    {
        var started = time.GetTimestamp();
        position = PointerChase.Follow(position, steps);
        var seconds = time.GetElapsedTime(started).TotalSeconds / steps;
        _sink += (ulong)position;
        return seconds;
    }

    private static double Median(double[] values)
    {
        Array.Sort(values);
        return (values[(values.Length - 1) / 2] + values[values.Length / 2]) / 2;
    }
}
