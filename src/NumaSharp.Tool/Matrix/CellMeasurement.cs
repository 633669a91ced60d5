using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>
/// Measures a buffer from the calling thread. The timed code allocates nothing and is already compiled; the first pass, which
/// lets address translations and the core's clock settle, is not counted.
/// </summary>
internal sealed class CellMeasurement(TimeProvider time, int repeat)
{
    // A quarter of a second on slow memory; enough to make the timer's resolution irrelevant.
    private const int MaxSteps = 1024 * 1024;

    private ulong _sink;

    /// <summary>The results of the loops: exposed so that the loops cannot be optimised away.</summary>
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
