namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The cost of a team's work.</summary>
internal readonly record struct TeamReport(double Nanoseconds, long ManagedBytes);
