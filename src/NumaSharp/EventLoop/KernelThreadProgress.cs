using System.Globalization;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// Asks the kernel. Who has used most of a sample's time computes. Who has not, and could run (state R in
/// /proc/self/task/TID/stat, proc(5)), waits for a CPU. Everybody else waits for something that the callback does.
/// </summary>
internal sealed class KernelThreadProgress(TimeSpan interval) : ThreadProgress
{
    private const double MostOfASample = 0.75;

    // The number, the name in parentheses, the state: with any name below 40 bytes.
    private const int StatLength = 64;

    public override TimeSpan? Begin(int threadId) =>
        Native.GetThreadCpuTime(threadId, out var used).Succeeded ? used : null;

    public override bool IsLate(int threadId, TimeSpan? begun) =>
        begun is not { } before
        || Begin(threadId) is not { } now
        || now - before >= interval * MostOfASample
        || !IsRunnable(threadId);

    /// <summary>Whether a thread runs or waits for a CPU; false when that is not to be had, as without descriptors.</summary>
    internal static bool IsRunnable(int threadId)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{threadId}/stat");
        if (!KernelFile.Open(path, out var file).Succeeded)
        {
            return false;
        }

        using (file)
        {
            Span<byte> stat = stackalloc byte[StatLength];
            stat = stat[..RandomAccess.Read(file!, stat, fileOffset: 0)];

            // The name may have parentheses of its own; nothing behind it has.
            var end = stat.LastIndexOf((byte)')');
            return end >= 0 && end + 2 < stat.Length && stat[end + 2] == (byte)'R';
        }
    }
}
