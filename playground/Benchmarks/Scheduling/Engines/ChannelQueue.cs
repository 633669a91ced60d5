using System.Threading.Channels;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>To the workers in turn.</summary>
internal readonly struct ChannelQueue(Channel<IThreadPoolWorkItem>[] channels) : IWorkQueue
{
    [ThreadStatic]
    private static uint t_turn;

    public void Queue(IThreadPoolWorkItem item) => channels[t_turn++ % (uint)channels.Length].Writer.TryWrite(item);

    public void QueueInside(IThreadPoolWorkItem item) => Queue(item);
}
