namespace NumaSharp.Tests;

/// <summary>Tests of what is the process's, such as its mappings: nothing runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
