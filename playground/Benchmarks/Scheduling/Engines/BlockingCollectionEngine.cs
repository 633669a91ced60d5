using System.Collections.Concurrent;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>
/// A task scheduler as the samples of ParallelExtensionsExtras have it: threads that consume one BlockingCollection.
/// </summary>
internal sealed class BlockingCollectionEngine : TaskScheduler, IEngine
{
    private readonly BlockingCollection<object> _work = [];
    private readonly Thread[] _threads;

    public BlockingCollectionEngine(int workers)
    {
        _threads = [.. Enumerable.Range(0, workers).Select(index => new Thread(Consume)
        {
            IsBackground = true,
            Name = string.Create(CultureInfo.InvariantCulture, $"collection {index}"),
        })];
        foreach (var thread in _threads)
        {
            thread.Start();
        }
    }

    public static string Name => "BlockingCollection";

    public TaskScheduler Tasks => this;

    public override int MaximumConcurrencyLevel => _threads.Length;

    public ILoad Open(ILoadShape shape) => shape.Create(new BlockingCollectionQueue(_work));

    public void Dispose()
    {
        _work.CompleteAdding();
        foreach (var thread in _threads)
        {
            thread.Join();
        }

        _work.Dispose();
    }

    protected override void QueueTask(Task task) => _work.Add(task);

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Array.IndexOf(_threads, Thread.CurrentThread) >= 0 && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => _work.OfType<Task>().ToArray();

    private void Consume()
    {
        foreach (var work in _work.GetConsumingEnumerable())
        {
            if (work is Task task)
            {
                TryExecuteTask(task);
            }
            else
            {
                ((IThreadPoolWorkItem)work).Execute();
            }
        }
    }
}
