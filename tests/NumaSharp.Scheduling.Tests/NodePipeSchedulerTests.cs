using System.IO.Pipelines;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class NodePipeSchedulerTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task Pipe_WithNodesForReaderAndWriter_ResumesEachOnItsNode()
    {
        var pipe = new Pipe(new PipeOptions(
            readerScheduler: _scheduler.GetPipeScheduler(0),
            writerScheduler: _scheduler.GetPipeScheduler(1),
            pauseWriterThreshold: 1,
            resumeWriterThreshold: 1,
            useSynchronizationContext: false));
        var local = new AsyncLocal<string> { Value = "caller's" };

        // The reader continues when the writer waits for it.
        using var gate = new ManualResetEvent(false);
        _scheduler.Occupy(0, gate);
        var reading = ReadAsync();
        var writing = WriteAsync();
        Assert.False(writing.IsCompleted);
        gate.Set();

        async Task<(int, string)> ReadAsync()
        {
            var result = await pipe.Reader.ReadAsync();
            var seen = (NumaTaskScheduler.CurrentNodeIndex, local.Value!);
            pipe.Reader.AdvanceTo(result.Buffer.End);
            return seen;
        }

        async Task<(int, string)> WriteAsync()
        {
            await pipe.Writer.WriteAsync(new byte[4096]);
            return (NumaTaskScheduler.CurrentNodeIndex, local.Value!);
        }

        Assert.Equal((0, "caller's"), await reading);
        Assert.Equal((1, "caller's"), await writing);
    }

    [Fact]
    public void Schedule_Action_RunsOnTheNode()
    {
        using var done = new ManualResetEvent(false);
        var node = -1;

        _scheduler.GetPipeScheduler(1).Schedule(
            state =>
            {
                node = NumaTaskScheduler.CurrentNodeIndex;
                ((ManualResetEvent)state!).Set();
            },
            done);

        done.WaitFor();
        Assert.Equal(1, node);
        Assert.Same(_scheduler.GetPipeScheduler(1), _scheduler.GetPipeScheduler(1));
    }

    [Fact]
    public void Schedule_AfterDispose_UsesTheThreadPool()
    {
        using var done = new ManualResetEvent(false);
        var onPool = false;
        _scheduler.Dispose();

        _scheduler.GetPipeScheduler(0).Schedule(
            _ =>
            {
                onPool = Thread.CurrentThread.IsThreadPoolThread;
                done.Set();
            },
            null);

        done.WaitFor();
        Assert.True(onPool);
    }

    [Fact]
    public void GetPipeScheduler_BadArguments_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _scheduler.GetPipeScheduler(2));
        Assert.Throws<ArgumentNullException>(() => _scheduler.GetPipeScheduler(0).Schedule(null!, null));
    }
}
