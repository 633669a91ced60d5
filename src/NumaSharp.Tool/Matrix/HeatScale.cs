using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary>Colours from a map's best value, green, to its worst, red.</summary>
internal sealed class HeatScale
{
    // A smaller spread is measurement noise: a map of one node must not seem to have hot spots.
    private const double FlatShare = 0.05;

    private static readonly (double R, double G, double B)[] s_stops = [(87, 171, 90), (235, 203, 80), (214, 82, 67)];

    private readonly bool _higherIsBetter;

    public HeatScale(IEnumerable<double> values, bool higherIsBetter)
    {
        double[] all = [.. values];
        _higherIsBetter = higherIsBetter;
        (Minimum, Maximum) = all.Length == 0 ? (0, 0) : (all.Min(), all.Max());
    }

    public double Minimum { get; }

    public double Maximum { get; }

    /// <summary>Whether all values are equal except for noise.</summary>
    public bool IsFlat => Maximum - Minimum <= Minimum * FlatShare;

    /// <summary>0 for the best value, 1 for the worst.</summary>
    public double HeatOf(double value)
    {
        if (IsFlat)
        {
            return 0;
        }

        var share = Math.Clamp((value - Minimum) / (Maximum - Minimum), 0, 1);
        return _higherIsBetter ? 1 - share : share;
    }

    public Style StyleOf(double value)
    {
        var heat = HeatOf(value) * (s_stops.Length - 1);
        var index = Math.Min((int)heat, s_stops.Length - 2);
        var (from, to, share) = (s_stops[index], s_stops[index + 1], heat - index);
        return new Style(
            Color.Black,
            new Color(Mix(from.R, to.R, share), Mix(from.G, to.G, share), Mix(from.B, to.B, share)));
    }

    private static byte Mix(double from, double to, double share) => (byte)Math.Round(from + ((to - from) * share));
}
