namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>
/// Places values between two edges: equal factors are equally far apart. It begins and ends at a tick, 1, 2 or 5 times a power of
/// ten.
/// </summary>
internal sealed class LogScale
{
    private const double Tolerance = 1e-9;
    private const int ManyDecades = 3;

    private static readonly int[] s_steps = [1, 2, 5, 10];

    private readonly double _left;
    private readonly double _right;

    private LogScale(double minimum, double maximum, double left, double right) =>
        (Minimum, Maximum, _left, _right) = (minimum, maximum, left, right);

    public double Minimum { get; }

    public double Maximum { get; }

    /// <summary>The ticks; with many decades, the powers of ten alone.</summary>
    public IEnumerable<double> Ticks
    {
        get
        {
            var isWide = Maximum / Minimum > Math.Pow(10, ManyDecades);
            for (var power = Math.Floor(Math.Log10(Minimum) + Tolerance); power <= Math.Log10(Maximum) + Tolerance; power++)
            {
                foreach (var step in s_steps.SkipLast(1).Where(step => step == 1 || !isWide))
                {
                    var tick = step * Math.Pow(10, power);
                    if (Shows(tick))
                    {
                        yield return tick;
                    }
                }
            }
        }
    }

    /// <summary>A scale on which all positive values can be seen that are within the limits.</summary>
    public static LogScale Of(
        IEnumerable<double> values, double left, double right, double least = double.Epsilon, double most = double.MaxValue)
    {
        double[] shown = [.. values.Where(value => value >= least && value <= most)];
        return shown.Length == 0
            ? new LogScale(1, 10, left, right)
            : new LogScale(StepBelow(shown.Min()), StepAbove(shown.Max()), left, right);
    }

    /// <summary>Whether the value is between the edges.</summary>
    public bool Shows(double value) => value >= Minimum * (1 - Tolerance) && value <= Maximum * (1 + Tolerance);

    /// <summary>Where a value is; at an edge if it is beyond it.</summary>
    public double At(double value)
    {
        if (value <= Minimum)
        {
            return _left;
        }

        return value >= Maximum
            ? _right
            : _left + ((_right - _left) * Math.Log(value / Minimum) / Math.Log(Maximum / Minimum));
    }

    private static double StepBelow(double value)
    {
        var power = PowerOf(value);
        return s_steps.Last(step => step * power <= value * (1 + Tolerance)) * power;
    }

    // Beyond the value, even if that is a step: a scale of no width has no places.
    private static double StepAbove(double value)
    {
        var power = PowerOf(value);
        return s_steps.First(step => step * power > value * (1 + Tolerance)) * power;
    }

    private static double PowerOf(double value) => Math.Pow(10, Math.Floor(Math.Log10(value) + Tolerance));
}
