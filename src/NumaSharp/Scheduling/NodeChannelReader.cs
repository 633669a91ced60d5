using System.Threading.Channels;

namespace NumaSharp.Scheduling;

/// <summary>Another reader, whose waits end on a node.</summary>
internal sealed class NodeChannelReader<T>(ChannelReader<T> reader, WorkerGroup group) : ChannelReader<T>
{
    private readonly NodeResultSlot<T> _items = new(group);
    private readonly NodeResultSlot<bool> _signals = new(group);

    public override Task Completion => reader.Completion;

    public override bool CanCount => reader.CanCount;

    public override bool CanPeek => reader.CanPeek;

    public override int Count => reader.Count;

    public override bool TryRead(out T item) => reader.TryRead(out item!);

    public override bool TryPeek(out T item) => reader.TryPeek(out item!);

    public override ValueTask<T> ReadAsync(CancellationToken cancellationToken = default) =>
        _items.OnNode(reader.ReadAsync(cancellationToken));

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default) =>
        _signals.OnNode(reader.WaitToReadAsync(cancellationToken));
}
