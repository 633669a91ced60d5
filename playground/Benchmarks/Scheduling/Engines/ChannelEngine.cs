using System.Threading.Channels;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>What many write themselves: an unbounded channel per worker, and a reader loop on the thread pool for each.</summary>
internal sealed class ChannelEngine : IEngine
{
    private readonly Channel<IThreadPoolWorkItem>[] _channels;
    private readonly Task[] _readers;

    public ChannelEngine(int workers)
    {
        var options = new UnboundedChannelOptions { SingleReader = true };
        _channels = [.. Enumerable.Range(0, workers).Select(_ => Channel.CreateUnbounded<IThreadPoolWorkItem>(options))];
        _readers = [.. _channels.Select(static channel => Task.Run(() => ReadAsync(channel.Reader)))];
    }

    public static string Name => "Channel per worker";

    public TaskScheduler Tasks => throw new NotSupportedException("channels run items, not tasks");

    public ILoad Open(ILoadShape shape) => shape.Create(new ChannelQueue(_channels));

    public void Dispose()
    {
        foreach (var channel in _channels)
        {
            channel.Writer.Complete();
        }

        Task.WaitAll(_readers);
    }

    private static async Task ReadAsync(ChannelReader<IThreadPoolWorkItem> reader)
    {
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (reader.TryRead(out var item))
            {
                item.Execute();
            }
        }
    }
}
