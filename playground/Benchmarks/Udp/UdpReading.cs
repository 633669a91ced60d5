using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>The counts of a server at a moment.</summary>
/// <param name="Timestamp">The moment.</param>
/// <param name="CpuNanoseconds">CPU time of the process.</param>
/// <param name="Datagrams">Received or sent.</param>
/// <param name="AllocatedBytes">On the managed heap.</param>
internal readonly record struct UdpReading(long Timestamp, long CpuNanoseconds, long Datagrams, long AllocatedBytes)
{
    /// <summary>What was done since an earlier reading.</summary>
    /// <exception cref="BenchmarkException">Nothing was.</exception>
    public UdpSample Since(UdpReading before)
    {
        var datagrams = Datagrams - before.Datagrams;
        return datagrams > 0
            ? new UdpSample(
                (CpuNanoseconds - before.CpuNanoseconds) / 1e3 / datagrams,
                datagrams / Stopwatch.GetElapsedTime(before.Timestamp, Timestamp).TotalSeconds,
                (double)(AllocatedBytes - before.AllocatedBytes) / datagrams,
                Latency: null)
            : throw new BenchmarkException("the server has counted no datagram");
    }
}

/// <summary>A run of one side.</summary>
/// <param name="CpuMicroseconds">Per datagram.</param>
/// <param name="PerSecond">Datagrams.</param>
/// <param name="ManagedBytes">Per datagram.</param>
/// <param name="Latency">Where the load takes it.</param>
internal readonly record struct UdpSample(
    double CpuMicroseconds, double PerSecond, double ManagedBytes, Http.Load.Latency? Latency);
