using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>How long items wait, as meters and traces have it.</summary>
[Collection(nameof(ProcessWide))]
public sealed class WaitTelemetryTests : IDisposable
{
    private const int NodeId = 0;

    private readonly Meter _meter = new("test");
    private readonly MeterListener _meters = new();
    private readonly ConcurrentQueue<(double Seconds, object? NodeId)> _waits = new();
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(
        NumaSchedulingPolicy.NodeStrict, 1);

    public WaitTelemetryTests()
    {
        var histogram = _meter.CreateHistogram<double>("wait");
        _scheduler.MeasureWaits(histogram);
        _meters.SetMeasurementEventCallback<double>((_, seconds, tags, _) => _waits.Enqueue((seconds, TagOf(tags))));

        static object? TagOf(ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
            tags.Length == 1 && tags[0].Key == "numasharp.node.id" ? tags[0].Value : null;
    }

    public void Dispose()
    {
        _meters.Dispose();
        _scheduler.Dispose();
        _meter.Dispose();
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(NumaTaskScheduler.SampleInterval, 1)]
    [InlineData(NumaTaskScheduler.SampleInterval + 1, 2)]
    public void MeasureWaits_ItemsOfOneThread_AreSampledByTheirNode(int items, int samples)
    {
        Listen();

        QueueFromANewThread(items);

        Assert.Equal(samples, _waits.Count);
        Assert.All(_waits, static wait => Assert.True(wait.Seconds >= 0 && Equals(NodeId, wait.NodeId)));
    }

    [Fact]
    public void MeasureWaits_WorkerThatIsBusy_TellsHowLongItemsWaited()
    {
        Listen();
        using var gate = new ManualResetEvent(false);
        _scheduler.Occupy(0, gate);
        _waits.Clear();
        var all = Stopwatch.StartNew();
        QueueFromANewThread(1, isAwaited: false);
        var queued = Stopwatch.StartNew();
        Wait.Until(() => queued.ElapsedMilliseconds >= 20);
        gate.Set();

        Wait.Until(() => !_waits.IsEmpty);
        Assert.InRange(_waits.Single().Seconds, 0.02, all.Elapsed.TotalSeconds);
    }

    [Fact]
    public void MeasureWaits_NoListener_RecordsNothing()
    {
        QueueFromANewThread(2 * NumaTaskScheduler.SampleInterval);

        Assert.Empty(_waits);
    }

    [Fact]
    public void MeasureWaits_ItemThatThrows_IsReportedAsEver()
    {
        Listen();
        var thrown = new ConcurrentQueue<Exception>();
        using var scheduler = StartMeasured(thrown);

        TestThreads.Run(() => scheduler.QueueOnNode(0, static _ => throw new NotSupportedException(), state: null));

        Wait.Until(() => !thrown.IsEmpty);
        Assert.IsType<NotSupportedException>(Assert.Single(thrown));
    }

    [Fact]
    public void MeasureWaits_ListenerThatThrows_IsReportedAndTheItemRuns()
    {
        _meters.SetMeasurementEventCallback<double>(static (_, _, _, _) => throw new NotSupportedException());
        Listen();
        var thrown = new ConcurrentQueue<Exception>();
        using var scheduler = StartMeasured(thrown);
        using var ran = new ManualResetEvent(false);

        TestThreads.Run(() => scheduler.QueueOnNode(0, static state => ((ManualResetEvent)state!).Set(), ran));

        ran.WaitFor();
        Assert.IsType<NotSupportedException>(Assert.Single(thrown));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void QueueOnNode_SampledInSteadyState_AllocatesNothing()
    {
        const int Items = 20_000;
        long samples = 0;
        using var meters = new MeterListener();
        using var meter = new Meter("counted");
        meters.InstrumentPublished = (instrument, source) =>
        {
            if (ReferenceEquals(instrument.Meter, meter))
            {
                source.EnableMeasurementEvents(instrument);
            }
        };
        meters.SetMeasurementEventCallback<double>((_, _, _, _) => samples++);
        meters.Start();
        _scheduler.MeasureWaits(meter.CreateHistogram<double>("wait"));
        using var done = new AutoResetEvent(false);
        long ofWorker = 0;
        Action<object?> item = static _ => { };
        Action<object?> last = _ =>
        {
            ofWorker = GC.GetAllocatedBytesForCurrentThread();
            done.Set();
        };

        long Run()
        {
            var before = GC.GetAllocatedBytesForCurrentThread() + ofWorker;
            for (var i = 0; i < Items; i++)
            {
                // Never more of them than wait in a steady state.
                var isLast = i % 500 == 499;
                _scheduler.QueueOnNode(0, isLast ? last : item, state: null);
                if (isLast)
                {
                    done.WaitFor();
                }
            }

            return GC.GetAllocatedBytesForCurrentThread() + ofWorker - before;
        }

        Run();
        var attempts = new AllocationAttempts();
        while (!attempts.AreOver)
        {
            attempts.Add(Run());
        }

        Assert.True(samples >= Items / NumaTaskScheduler.SampleInterval);
        Assert.Equal(0, attempts.Least);
    }

    [Fact]
    public void Activity_QueuedInOneThatIsRecorded_HasTheWaitAsAChild()
    {
        var (root, waits) = Trace(ActivitySamplingResult.AllDataAndRecorded);

        var wait = Assert.Single(waits);
        Assert.Equal(root.SpanId, wait.ParentSpanId);
        Assert.Equal(NodeId, wait.GetTagItem("numasharp.node.id"));
        Assert.True(wait.StartTimeUtc >= root.StartTimeUtc.AddSeconds(-1) && wait.Duration >= TimeSpan.Zero);
    }

    [Fact]
    public void Activity_QueuedInOneThatIsNotRecorded_HasNone() =>
        Assert.Empty(Trace(ActivitySamplingResult.AllData).Waits);

    [Fact]
    public async Task GetScheduledTasks_TasksThatAreSampled_AreThereToo()
    {
        Listen();
        using var gate = new ManualResetEvent(false);
        _scheduler.Occupy(0, gate);
        Task? queued = null;
        TestThreads.Run(() => { queued = _scheduler.RunOnNode(0, static () => { }, TestContext.Current.CancellationToken); });

        Assert.Equal([queued!], _scheduler.Groups[0].TasksOf((ITaskRunner)_scheduler.ForNode(new(NodeId))));
        gate.Set();
        await queued!;
    }

    private NumaTaskScheduler StartMeasured(ConcurrentQueue<Exception> thrown)
    {
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.UnhandledException = thrown.Enqueue;
        var scheduler = new NumaTaskScheduler(options);
        scheduler.MeasureWaits(_meter.CreateHistogram<double>("wait"));
        return scheduler;
    }

    private (Activity Root, List<Activity> Waits) Trace(ActivitySamplingResult sampling)
    {
        using var source = new ActivitySource($"test {sampling}");
        var stopped = new ConcurrentQueue<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = each => each == source || each.Name == "NumaSharp",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => sampling,
            ActivityStopped = stopped.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        using var root = source.StartActivity("root")!;
        _scheduler.RunOnNode(0, static () => { }).WaitFor();
        return (root, [.. stopped.Where(each => each.Source.Name == "NumaSharp" && each.TraceId == root.TraceId)]);
    }

    private void Listen()
    {
        _meters.InstrumentPublished = (instrument, source) =>
        {
            if (ReferenceEquals(instrument.Meter, _meter))
            {
                source.EnableMeasurementEvents(instrument);
            }
        };
        _meters.Start();
    }

    private void QueueFromANewThread(int items, bool isAwaited = true)
    {
        using var done = new CountdownEvent(items);
        TestThreads.Run(() =>
        {
            for (var i = 0; i < items; i++)
            {
                _scheduler.QueueOnNode(0, isAwaited ? _ => done.Signal() : static _ => { }, state: null);
            }
        });
        if (isAwaited)
        {
            done.WaitFor();
        }
    }
}
