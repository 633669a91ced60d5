using System.Threading.Channels;

namespace NumaSharp.Scheduling;

/// <summary>A channel whose reader is that of a node.</summary>
internal sealed class NodeChannel<T> : Channel<T>
{
    public NodeChannel(Channel<T> channel, WorkerGroup group)
    {
        Reader = new NodeChannelReader<T>(channel.Reader, group);
        Writer = channel.Writer;
    }
}
