using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// The factory that servers are given, ours or the framework's: chosen when the first pool is asked for. A server is made before
/// settings are checked, and one that is wrong is to be told together with the others.
/// </summary>
internal sealed class ServerMemoryPoolFactory(Func<IMemoryPoolFactory<byte>> choose) : IMemoryPoolFactory<byte>
{
    private readonly Lazy<IMemoryPoolFactory<byte>> _chosen = new(choose);

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => _chosen.Value.Create(options);
}
