namespace NumaSharp.Plugins.HugePages.Tests;

/// <summary>Tests that set this machine's pool, one after the other.</summary>
[CollectionDefinition(nameof(HugePageCollection), DisableParallelization = true)]
public sealed class HugePageCollection;
