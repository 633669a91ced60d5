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
        services.TryAddSingleton<HostPools>();
        services.TryAddSingleton<ResolvedAllocator>();
        services.TryAddSingleton(CreateAllocator);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.PoolFor(provider, nodeId) : null!);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.AllocatorFor(provider, nodeId) : null!);
    }

    private static NumaAllocator CreateAllocator(IServiceProvider provider)
    {
        var memory = OptionsOf(provider).Memory;
        var options = CommonOf(provider, new NumaAllocatorOptions
        {
            ZeroOnFree = memory is { ZeroOnReturn: true, Checks: not NumaMemoryChecks.None },
        });
        options.Memory = AllocatorMemory.For(options.Memory!, options.Fallbacks!);
        var allocator = new NumaAllocator(provider.GetRequiredService<NumaPlan>(), options)
            .Following(provider, static allocator => allocator.Apply);
        provider.GetRequiredService<ResolvedAllocator>().Value = allocator;
        return allocator;
    }

    private static NumaMemoryPools CreatePools(IServiceProvider provider, bool forServers)
    {
        var memory = OptionsOf(provider).Memory;
        var options = CommonOf(provider, new NumaMemoryPoolsOptions
        {
            BlockSize = forServers ? Math.Max(memory.BlockSize, NodeMemoryPoolFactory.MinBlockSize) : memory.BlockSize,
            ZeroOnReturn = memory.ZeroOnReturn,
            ArrayBacked = forServers,
        });
        if (forServers)
        {
            options.Memory = AllocatorMemory.OrOrdinary(options.Memory!);
        }
        else
        {
            options.KeepPerNode = memory.PoolKeeps(options.KeepPerNode);
        }

        return new NumaMemoryPools(provider.GetRequiredService<NumaPlan>(), options)
            .Following(provider, static pools => pools.Apply);
    }

    private static T CommonOf<T>(IServiceProvider provider, T options)
        where T : NumaNodeMemoryOptions
    {
        var (memory, now) = (OptionsOf(provider).Memory, provider.GetRequiredService<LiveOptions>().Value.Memory);
        var platform = provider.GetRequiredService<NumaPlatform>();
        options.LimitPerNode = memory.LimitPerNode;
        options.TrimAfter = now.TrimAfter;
        options.KeepPerNode = now.KeepPerNode;
        options.Checks = memory.Checks;
        options.Time = provider.GetService<TimeProvider>();
        options.Memory = platform.Memory;
        options.Affinity = platform.Affinity;
        options.Fallbacks = provider.GetRequiredService<NumaFallbacks>();
        return options;
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
