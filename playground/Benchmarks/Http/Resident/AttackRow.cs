using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>One figure of an <see cref="AttackReport"/> at a moment, and what is asked of it.</summary>
internal sealed record AttackRow(string Name, string Unit, Func<AttackReport, int, double> Of, RowTarget Target);
