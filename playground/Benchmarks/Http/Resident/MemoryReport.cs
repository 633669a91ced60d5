namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>What one side holds.</summary>
/// <param name="BytesPerRawConnection">Managed bytes that live per idle connection without HTTP.</param>
/// <param name="BytesPerConnection">Managed bytes that live per idle keep-alive connection.</param>
/// <param name="Resident">Of the process with the idle keep-alive connections, in bytes.</param>
/// <param name="AfterBurst">Of the process a while after a burst, in bytes.</param>
internal sealed record MemoryReport(double BytesPerRawConnection, double BytesPerConnection, long Resident, long AfterBurst);
