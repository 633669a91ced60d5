using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    [LibraryImport("libc", EntryPoint = "nanosleep", SetLastError = true)]
    private static partial int NanosleepCore(Timespec* requested, Timespec* remaining);

    /// <summary>Sleeps; a signal may end it early, which a periodic sampler does not mind.</summary>
    public static void Nanosleep(TimeSpan duration)
    {
        var (seconds, rest) = Math.DivRem(duration.Ticks, TimeSpan.TicksPerSecond);
        var requested = new Timespec { Seconds = seconds, Nanoseconds = rest * TimeSpan.NanosecondsPerTick };
        _ = NanosleepCore(&requested, null);
    }

    /// <summary>struct timespec (timespec(3type)) of 64-bit Linux.</summary>
    public struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
