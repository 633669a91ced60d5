namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>
/// Tests with a MeterProvider, which hears the meters of every host in the process: nothing else runs meanwhile.
/// </summary>
[CollectionDefinition(nameof(MeterProviders), DisableParallelization = true)]
public sealed class MeterProviders;
