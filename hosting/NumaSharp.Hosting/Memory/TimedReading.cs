namespace NumaSharp.Hosting.Memory;

/// <summary>
/// A value that is read again when it is older than an interval, for any number of readers: by one of them, while the others get
/// the last one and wait for nothing. Thread-safe.
/// </summary>
/// <typeparam name="T">The value.</typeparam>
/// <param name="first">The value until the first reading.</param>
/// <param name="read">Reads it; gets the last one, and whether that is the first. Never called by two threads at a time.</param>
/// <param name="interval">Returns the interval, which may change.</param>
/// <param name="time">The clock.</param>
internal sealed class TimedReading<T>(T first, Func<T, bool, T> read, Func<TimeSpan> interval, TimeProvider time)
{
    private Reading _last = new(first, Time: null);

    // 1 while a thread reads.
    private int _isReading;

    public T Read()
    {
        if (IsDue && Interlocked.Exchange(ref _isReading, 1) == 0)
        {
            try
            {
                // Another thread may have read it since.
                if (IsDue)
                {
                    var last = _last;
                    Volatile.Write(ref _last, new Reading(read(last.Value, last.Time is null), time.GetTimestamp()));
                }
            }
            finally
            {
                Volatile.Write(ref _isReading, 0);
            }
        }

        return Volatile.Read(ref _last).Value;
    }

    private bool IsDue => Volatile.Read(ref _last).Time is not { } readAt || time.GetElapsedTime(readAt) >= interval();

    private sealed record Reading(T Value, long? Time);
}
