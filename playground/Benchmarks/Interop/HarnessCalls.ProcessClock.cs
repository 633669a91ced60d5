using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Playground.Benchmarks.Interop;

// clock_getcpuclockid(3) returns the error instead of setting errno; clock_gettime(2) sets it.
internal static partial class HarnessCalls
{
    public static SysResult GetProcessClock(int processId, out int clock)
    {
        var error = ClockGetCpuClockId(processId, out clock);
        return error == 0 ? SysResult.FromReturn(0) : SysResult.FromErrno(error);
    }

    public static SysResult GetTime(int clock, out long nanoseconds)
    {
        var result = SysResult.FromReturn(ClockGetTime(clock, out var time));
        nanoseconds = (time.Seconds * 1_000_000_000L) + time.Nanoseconds;
        return result;
    }

    [LibraryImport("libc", EntryPoint = "clock_getcpuclockid")]
    private static partial int ClockGetCpuClockId(int processId, out int clock);

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static partial int ClockGetTime(int clock, out TimeSpec time);

    // struct timespec of the 64-bit ABIs.
    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
