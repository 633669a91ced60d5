namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>What a team's work took.</summary>
internal readonly record struct TeamReport(double Nanoseconds, long ManagedBytes);
