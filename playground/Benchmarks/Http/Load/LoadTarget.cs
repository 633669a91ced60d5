namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Where the load goes, where it runs, and where it may write.</summary>
/// <param name="Ports">The server's.</param>
/// <param name="Cpu">The load's; null for any.</param>
/// <param name="Scratch">For files of this run.</param>
/// <param name="Capacity">Requests/s that stock sockets take in this run; for loads with a rate of their own.</param>
/// <param name="Window">What a load begins that does not count its connecting; null where CPU time is not measured.</param>
internal sealed record LoadTarget(
    ServerPorts Ports, int? Cpu, DirectoryInfo Scratch, double? Capacity = null, LoadWindow? Window = null);
