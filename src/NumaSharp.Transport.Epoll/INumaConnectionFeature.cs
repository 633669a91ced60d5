using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll;

/// <summary>Where a connection is served. A connection feature, so also available among a request's features.</summary>
public interface INumaConnectionFeature
{
    /// <summary>The kernel id of the connection's node.</summary>
    NumaNodeId NodeId { get; }

    /// <summary>The number of the connection's event loop.</summary>
    int LoopIndex { get; }

    /// <summary>The address of the block that the last bytes were received into; 0 before the first.</summary>
    nint ReceiveBufferAddress { get; }
}
