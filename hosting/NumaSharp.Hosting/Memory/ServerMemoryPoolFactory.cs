using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// The factory passed to servers, ours or the framework's: chosen at the first request for a pool. A server is created before
/// settings are checked, and a wrong setting is to be reported together with the others.
/// </summary>
internal sealed class ServerMemoryPoolFactory(Func<IMemoryPoolFactory<byte>> choose) : IMemoryPoolFactory<byte>
{
    private readonly Lazy<IMemoryPoolFactory<byte>> _chosen = new(choose);

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => _chosen.Value.Create(options);
}
