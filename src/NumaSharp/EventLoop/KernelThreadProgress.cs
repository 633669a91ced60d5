using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// Asks the kernel. Who has used most of a sample's time computes. Who has not, and could run (state R in
/// /proc/self/task/TID/stat, proc(5)), waits for a CPU. Everybody else waits for something that the callback does.
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
