using System.Buffers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>Kestrel's pool is internal; the factory that Kestrel registers creates it.</summary>
internal static class KestrelPool
{
    private const string TypeName = "PinnedBlockMemoryPool";

    public static string Name => $"Kestrel {TypeName} {Environment.Version}";

    public static MemoryPool<byte> Create()
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        // Not disposed: its meters belong to the pool, which lives as long as the process.
        var application = builder.Build();
        var pool = application.Services.GetRequiredService<IMemoryPoolFactory<byte>>().Create();
        return pool.GetType().Name == TypeName
            ? pool
            : throw new BenchmarkException($"Kestrel's pool is a {pool.GetType()}, not its {TypeName}");
    }
}
