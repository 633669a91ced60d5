using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Items that change the thread they run on, and what later items find.</summary>
public sealed class SpoiltThreadTests
{
    [Fact]
    public void Worker_ComesToRest_IsRestored()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var task = scheduler.RunOnNode(0, SpoiltThread.Current);
        task.WaitFor();

        task.Result.WaitUntilRestored();
    }

    [Fact]
    public void Worker_NeverComesToRest_IsRestored()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);

        RunUntilRestored(scheduler);
    }

    [Fact]
    public void Spare_NeverComesToRest_IsRestored()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, compensate: true, 1);
        scheduler.Occupy(0, gate);
        try
        {
            RunUntilRestored(scheduler);
        }
        finally
        {
            gate.Set();
        }
    }

    // Each item queues the next, so that the worker is never without one. The scheduler's end ends them, too.
    private static void RunUntilRestored(NumaTaskScheduler scheduler)
    {
        using var restored = new ManualResetEvent(false);
        var isOver = false;
        SpoiltThread? thread = null;
        void Run(object? state)
        {
            thread ??= SpoiltThread.Current();
            if (thread.IsRestored)
            {
                restored.Set();
            }
            else if (!Volatile.Read(ref isOver))
            {
                scheduler.QueueOnNode(0, Run, state: null);
            }
        }

        scheduler.QueueOnNode(0, Run, state: null);
        try
        {
            restored.WaitFor();
        }
        finally
        {
            Volatile.Write(ref isOver, true);
        }
    }
}
