namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// Tests that change or watch what is the process's: event listeners, which switch events on for all schedulers, unhandled
/// exceptions, numbers of descriptors. Nothing runs beside them.
/// </summary>
[CollectionDefinition(nameof(ProcessWide), DisableParallelization = true)]
public sealed class ProcessWide;
