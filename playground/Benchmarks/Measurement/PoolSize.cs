using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Fixes the number of pool threads, so that the pool does not experiment; restores it when disposed.</summary>
internal sealed class PoolSize : IDisposable
{
    private readonly (int Worker, int IO) _minimum;
    private readonly (int Worker, int IO) _maximum;

    public PoolSize(int threads)
    {
        ThreadPool.GetMinThreads(out _minimum.Worker, out _minimum.IO);
        ThreadPool.GetMaxThreads(out _maximum.Worker, out _maximum.IO);
        Set(threads, threads);
    }

    public void Dispose() => Set(_minimum.Worker, _maximum.Worker);

    // The smaller one never exceeds the larger: to 1 first, and up from there.
    private void Set(int minimum, int maximum)
    {
        if (!ThreadPool.SetMinThreads(1, _minimum.IO)
            || !ThreadPool.SetMaxThreads(maximum, _maximum.IO)
            || !ThreadPool.SetMinThreads(minimum, _minimum.IO))
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture, $"the thread pool refuses {minimum} to {maximum} threads"));
        }
    }
}
