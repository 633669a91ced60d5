using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

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
