namespace NumaSharp.Benchmarks.Tests;

/// <summary>
/// Tests that listen to events and traces of the whole process, or set the size of its thread pool: nothing runs beside them.
/// </summary>
[CollectionDefinition(nameof(ProcessWideCollection), DisableParallelization = true)]
public sealed class ProcessWideCollection;
