namespace NumaSharp.Udp.Tests;

/// <summary>For tests that count what the whole process allocates.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
