using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using NumaSharp.Core;
using NumaSharp.Hosting.Changes;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Transport;

namespace NumaSharp.Hosting.Registration;

/// <content>Pools and allocator.</content>
internal static partial class NumaServices
{
    private static void AddMemory(IServiceCollection services)
    {
        services.TryAddSingleton(static provider => CreatePools(provider, forServers: false));
        services.TryAddSingleton<AllPools>();
        services.TryAddSingleton<MadeAllocator>();
        services.TryAddSingleton(CreateAllocator);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.PoolFor(provider, nodeId) : null!);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.AllocatorFor(provider, nodeId) : null!);
    }

    private static NumaAllocator CreateAllocator(IServiceProvider provider)
    {
        var (memory, now) = (OptionsOf(provider).Memory, provider.GetRequiredService<LiveOptions>().Value.Memory);
        var platform = provider.GetRequiredService<NumaPlatform>();
        var fallbacks = provider.GetRequiredService<NumaFallbacks>();
        var allocator = new NumaAllocator(
            provider.GetRequiredService<NumaPlan>(),
            new NumaAllocatorOptions
            {
                LimitPerNode = memory.LimitPerNode,
                TrimAfter = now.TrimAfter,
                KeepPerNode = now.KeepPerNode,
                Time = provider.GetService<TimeProvider>(),
                Checks = memory.Debug,
                ZeroOnFree = memory is { ZeroOnReturn: true, Debug: not NumaMemoryChecks.None },
                Memory = AllocatorMemory.For(platform.Memory, fallbacks),
                Affinity = platform.Affinity,
                Fallbacks = fallbacks,
            }).Following(provider, static allocator => allocator.Apply);
        provider.GetRequiredService<MadeAllocator>().Value = allocator;
        return allocator;
    }

    private static NumaMemoryPools CreatePools(IServiceProvider provider, bool forServers)
    {
        var (memory, now) = (OptionsOf(provider).Memory, provider.GetRequiredService<LiveOptions>().Value.Memory);
        var platform = provider.GetRequiredService<NumaPlatform>();
        return new NumaMemoryPools(
            provider.GetRequiredService<NumaPlan>(),
            new NumaMemoryPoolsOptions
            {
                BlockSize = forServers ? Math.Max(memory.BlockSize, NodeMemoryPoolFactory.MinBlockSize) : memory.BlockSize,
                LimitPerNode = memory.LimitPerNode,
                ZeroOnReturn = memory.ZeroOnReturn,
                ArrayBacked = forServers,
                TrimAfter = now.TrimAfter,
                KeepPerNode = forServers ? now.KeepPerNode : memory.PoolKeeps(now.KeepPerNode),
                Checks = memory.Debug,
                Time = provider.GetService<TimeProvider>(),
                Memory = forServers ? AllocatorMemory.OrOrdinary(platform.Memory) : platform.Memory,
                Affinity = platform.Affinity,
                Fallbacks = provider.GetRequiredService<NumaFallbacks>(),
            }).Following(provider, static pools => pools.Apply);
    }

    // Kestrel's sockets send buffers as arrays, so the pools of our own transport cannot serve them.
    private static void AddMemoryOfServers(IServiceCollection services)
    {
        services.TryAddSingleton(static provider => new NodeMemoryPoolFactory(() => CreatePools(provider, forServers: true)));
        MemoryPoolFactories.Replace(services, static (provider, framework) => new ServerMemoryPoolFactory(
            () => OptionsOf(provider).Enabled || framework is null
                ? provider.GetRequiredService<NodeMemoryPoolFactory>()
                : framework(provider)));
    }
}
