namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>
/// One comparison. Less is always better: <see cref="Ratio"/> is ours / theirs, and theirs / ours for a rate.
/// </summary>
internal sealed class BenchmarkRow
{
    private const int Digits = 4;
    private const string LimitPeer = "limit";

    private BenchmarkRow(string name, string peer, double ours, double theirs, string unit, double ratio, RowTarget target)
    {
        Name = name;
        Peer = peer;
        Ours = Rounded(name, ours);
        Theirs = Rounded(name, theirs);
        Unit = unit;
        Ratio = Rounded(name, ratio);
        Target = target;
    }

    public string Name { get; }

    public string Peer { get; }

    public double Ours { get; }

    public double Theirs { get; }

    public string Unit { get; }

    public double Ratio { get; }

    public RowTarget Target { get; }

    /// <summary>Whether the requirement is met; null where there is none.</summary>
    public bool? Met => Target.Required is { } required ? Ratio <= required : null;

    /// <summary>CPU, time or bytes: ours / theirs.</summary>
    public static BenchmarkRow Cost(string name, string peer, double ours, double theirs, string unit, RowTarget target) =>
        new(name, peer, ours, theirs, unit, ours / theirs, target);

    /// <summary>Work per time: theirs / ours.</summary>
    public static BenchmarkRow Rate(string name, string peer, double ours, double theirs, string unit, RowTarget target) =>
        new(name, peer, ours, theirs, unit, theirs / ours, target);

    /// <summary>An absolute limit: ours / limit, required 1. A limit of 0 has ours as its ratio, required 0.</summary>
    public static BenchmarkRow Limit(string name, double ours, double limit, string unit, double? goal = null) =>
        limit == 0
            ? new(name, LimitPeer, ours, 0, unit, ours, new RowTarget(0, goal))
            : new(name, LimitPeer, ours, limit, unit, ours / limit, new RowTarget(1, goal));

    /// <summary>
    /// Events, of which theirs may have none: ours / theirs, and ours where theirs are none. Required, if it is: at most theirs.
    /// </summary>
    public static BenchmarkRow Count(string name, string peer, long ours, long theirs, string unit, bool isRequired) =>
        theirs == 0
            ? new(name, peer, ours, 0, unit, ours, new RowTarget(isRequired ? 0 : null, null))
            : new(name, peer, ours, theirs, unit, ours / (double)theirs, new RowTarget(isRequired ? 1 : null, null));

    /// <summary>A row as it was written.</summary>
    public static BenchmarkRow Written(
        string name, string peer, double ours, double theirs, string unit, double ratio, RowTarget target) =>
        new(name, peer, ours, theirs, unit, ratio, target);

    // Rounded before it is judged, so that a reader of the JSON comes to the same verdict as the table.
    private static double Rounded(string name, double value) =>
        double.IsFinite(value)
            ? Math.Round(value, Digits)
            : throw new BenchmarkException(string.Create(null, $"row '{name}': {value} is not a figure"));
}
