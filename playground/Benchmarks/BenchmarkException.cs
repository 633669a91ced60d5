namespace NumaSharp.Playground.Benchmarks;

/// <summary>The run cannot give an honest figure; the message is what the user reads.</summary>
internal sealed class BenchmarkException(string message) : Exception(message);
