using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Udp.Sharding;

/// <summary>Forwards the events of a shard's loop.</summary>
/// <param name="shard">The shard.</param>
internal sealed class ShardEvents(NumaUdpShard shard) : EventLoopHandler
{
    internal override LoopUser User => shard.User;

    public override string ToString() => $"a datagram handler of {shard.EndPoint}";

    protected internal override void OnReady(EventLoopEvents events) => shard.OnReady(events);

    protected internal override void OnUnwatched(NumaException reason) => shard.OnUnwatched(reason.Message);
}
