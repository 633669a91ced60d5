namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Where the load goes, where it runs, and where it may write.</summary>
internal sealed record LoadTarget(ServerPorts Ports, int? Cpu, DirectoryInfo Scratch);
