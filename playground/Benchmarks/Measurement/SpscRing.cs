namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Hands batches from one thread to another; all of it is there before the first.</summary>
internal sealed class SpscRing<T>
    where T : struct
{
    /// <summary>Items per batch: what the ring itself costs is shared by so many.</summary>
    public const int Batch = 64;

    private const int Batches = 16;

    private readonly T[] _items = new T[Batches * Batch];
    private RingPositions _positions;
    private volatile bool _abandoned;

    /// <summary>The producer's next batch, as soon as the consumer is done with what was in it.</summary>
    public Span<T> BeginWrite()
    {
        var wait = default(SpinWait);
        while (_positions.Written - Volatile.Read(ref _positions.Read) == Batches)
        {
            Spin(ref wait);
        }

        return At(_positions.Written);
    }

    public void EndWrite() => Volatile.Write(ref _positions.Written, _positions.Written + 1);

    /// <summary>The consumer's next batch, as soon as it is written.</summary>
    public Span<T> BeginRead()
    {
        var wait = default(SpinWait);
        while (Volatile.Read(ref _positions.Written) == _positions.Read)
        {
            Spin(ref wait);
        }

        return At(_positions.Read);
    }

    public void EndRead() => Volatile.Write(ref _positions.Read, _positions.Read + 1);

    /// <summary>Work for two threads: the first produces, the second consumes, and neither waits for one that failed.</summary>
    public Action<int, int> Hand(Action<int> produce, Action<int> consume) => (thread, count) =>
    {
        try
        {
            (thread == 0 ? produce : consume)(count);
        }
        catch
        {
            Abandon();
            throw;
        }
    };

    /// <summary>One of the two failed: the other one must not wait for ever.</summary>
    private void Abandon() => _abandoned = true;

    private void Spin(ref SpinWait wait)
    {
        if (_abandoned)
        {
            throw new BenchmarkException("the thread on the other end of the ring failed");
        }

        // Never sleeps: a millisecond would be most of what is measured.
        wait.SpinOnce(sleep1Threshold: -1);
    }

    private Span<T> At(long position) => _items.AsSpan((int)(position % Batches) * Batch, Batch);
}
