using System.Globalization;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// Distinguishes a thread that blocks or computes from one that only waits for a CPU. Used by the watchdog alone, and only for a
/// thread that has been in one callback for a whole sample or more.
/// </summary>
internal abstract class ThreadProgress
{
    /// <summary>Starts a sample of a thread.</summary>
    /// <returns>The CPU time that it has used; <see langword="null"/> if it cannot be read.</returns>
    public abstract TimeSpan? Begin(int threadId);

    /// <summary>Whether the thread blocks or computes, and does not just wait for a CPU. True if that is unknown.</summary>
    /// <param name="threadId">The thread.</param>
    /// <param name="begun">The result of <see cref="Begin"/>.</param>
    public abstract bool IsLate(int threadId, TimeSpan? begun);
}

/// <summary>
/// Asks the kernel. A thread that has used most of a sample's time computes. One that has not, and is runnable (state R in
/// /proc/self/task/TID/stat, proc(5)), waits for a CPU. Any other is blocked by something that the callback does.
/// </summary>
internal sealed class KernelThreadProgress(TimeSpan interval) : ThreadProgress
{
    private const double MostOfASample = 0.75;

    public override TimeSpan? Begin(int threadId) => ThreadActivity.CpuTimeOf(threadId);

    public override bool IsLate(int threadId, TimeSpan? begun) =>
        begun is not { } before
        || Begin(threadId) is not { } now
        || now - before >= interval * MostOfASample
        || !ThreadActivity.IsRunnable(threadId);
}

/// <summary>What a thread of this process is doing, from /proc/self/task/TID (proc(5)).</summary>
internal static class ThreadActivity
{
    // The id, the name in parentheses, the state: below 40 bytes with any name.
    private const int StatLength = 64;

    // A kernel symbol.
    private const int SymbolLength = 128;

    private const double Little = 0.1;

    /// <summary>The CPU time that a thread has used; <see langword="null"/> if it cannot be read.</summary>
    public static TimeSpan? CpuTimeOf(int threadId) => Native.GetThreadCpuTime(threadId, out var used).Succeeded ? used : null;

    /// <summary>Whether a thread runs or waits for a CPU; false if that cannot be read, as without descriptors.</summary>
    public static bool IsRunnable(int threadId) => StateOf(threadId) == 'R';

    /// <summary>Describes what a thread has been doing.</summary>
    /// <param name="threadId">The thread.</param>
    /// <param name="share">The share of a CPU it has used lately, up to 1; <see langword="null"/> if unknown.</param>
    public static string Describe(int threadId, double? share) => StateOf(threadId) switch
    {
        null => "cannot be inspected",
        'R' => share < Little ? "waits for a CPU" : "computes",
        'D' => "waits for a device" + PlaceOf(threadId),
        _ => "blocks" + PlaceOf(threadId),
    };

    private static char? StateOf(int threadId)
    {
        Span<byte> stat = stackalloc byte[StatLength];
        stat = Read(threadId, "stat", stat);

        // The name may contain parentheses; nothing after it does.
        var end = stat.LastIndexOf((byte)')');
        return end >= 0 && end + 2 < stat.Length ? (char)stat[end + 2] : null;
    }

    // The kernel function it waits in; kernels that have no symbols, or hide them, report 0.
    private static string PlaceOf(int threadId)
    {
        Span<byte> symbol = stackalloc byte[SymbolLength];
        var place = KernelFile.TextOf(Read(threadId, "wchan", symbol));
        return place is "" or "0" ? "" : $" ({place})";
    }

    private static Span<byte> Read(int threadId, string name, Span<byte> buffer)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/{name}");
        if (!KernelFile.Open(path, out var file).Succeeded)
        {
            return [];
        }

        using (file)
        {
            try
            {
                return buffer[..RandomAccess.Read(file!, buffer, fileOffset: 0)];
            }
            catch (IOException)
            {
                // The thread has ended meanwhile (ESRCH).
                return [];
            }
        }
    }
}
