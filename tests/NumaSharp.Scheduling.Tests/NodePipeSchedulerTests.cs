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
        var reading = ReadAsync();
        var writing = WriteAsync();

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
        var writer = await writing;
        Assert.True(writer.Item1 is 1 or -1, "-1 where the reader was faster than the writer's await");
        Assert.Equal("caller's", writer.Item2);
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
