namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Tests that count what the whole process has: nothing else runs meanwhile.</summary>
[CollectionDefinition(nameof(RepeatedStarts), DisableParallelization = true)]
public sealed class RepeatedStarts;
