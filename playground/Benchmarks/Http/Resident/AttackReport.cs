namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>What one side holds for clients that keep it waiting.</summary>
/// <param name="HalfHeader">Bytes per connection that has uploaded much and then sent half a header, at each moment.</param>
/// <param name="SlowReader">Bytes per connection that does not read its answer, at each moment.</param>
/// <param name="Afterwards">Of the process a while after those with half a header have gone, in bytes.</param>
internal sealed record AttackReport(IReadOnlyList<double> HalfHeader, IReadOnlyList<double> SlowReader, long Afterwards);
