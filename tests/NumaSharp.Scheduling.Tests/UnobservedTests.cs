using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

[Collection(nameof(ProcessWide))]
public sealed class UnobservedTests
{
    [Fact]
    public void RunOnNode_UnobservedException_IsReportedAsTheRuntimeDoes()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var seen = new ConcurrentDictionary<string, bool>();
        void Note(object? sender, UnobservedTaskExceptionEventArgs e)
        {
            if (e.Exception.InnerException is ProbeException probe)
            {
                seen[probe.Message] = true;
                e.SetObserved();
            }
        }

        TaskScheduler.UnobservedTaskException += Note;
        try
        {
            Forget(scheduler);
            scheduler.RunOnNode(0, static () => { }).WaitFor();
            Wait.UntilCollected(() => seen.Count == 3);
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Note;
        }

        Assert.Equal(["action", "async", "escaped"], seen.Keys.Order(StringComparer.Ordinal));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(NumaTaskScheduler scheduler)
    {
        _ = scheduler.RunOnNode(0, void () => throw new ProbeException("action"));
        _ = scheduler.RunOnNode(0, static async () =>
        {
            await Task.Yield();
            throw new ProbeException("async");
        });
        _ = scheduler.RunOnNode(0, static async () =>
        {
            // Ends elsewhere, where it is counted as an escape; looking at that must not count as looking at the exception.
            await new Elsewhere();
            throw new ProbeException("escaped");
        });
    }

    private sealed class ProbeException(string message) : Exception(message);
}
