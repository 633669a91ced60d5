using Microsoft.CodeAnalysis;

namespace NumaSharp.Analyzers;

/// <summary>The types of the product and of .NET that the rules are about, as a compilation knows them.</summary>
internal sealed class NumaTypes
{
    private NumaTypes(Compilation compilation, INamedTypeSymbol nodeId)
    {
        NodeId = nodeId;
        Node = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaNode");
        Topology = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaTopology");
        Plan = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaPlan");
        NodePlan = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaNodePlan");
        Block = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaMemoryBlock");
        Pool = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaMemoryPool");
        PoolOfT = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaMemoryPool`1");
        Pools = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaMemoryPools");
        PoolHandle = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaPoolHandle");
        NodeAllocator = compilation.GetTypeByMetadataName("NumaSharp.Core.NumaNodeAllocator");
        Scheduler = compilation.GetTypeByMetadataName("NumaSharp.Scheduling.NumaTaskScheduler");
        SwitchAwaitable = compilation.GetTypeByMetadataName("NumaSharp.Scheduling.NumaSwitchAwaitable");
        TaskExtensions = compilation.GetTypeByMetadataName("NumaSharp.Scheduling.NumaTaskExtensions");
        Loop = compilation.GetTypeByMetadataName("NumaSharp.EventLoop.NumaEventLoop");
        LoopHandler = compilation.GetTypeByMetadataName("NumaSharp.EventLoop.EventLoopHandler");
        DatagramHandler = compilation.GetTypeByMetadataName("NumaSharp.Udp.IDatagramHandler");
        Task = compilation.GetTypeByMetadataName("System.Threading.Tasks.Task");
        TaskOfT = compilation.GetTypeByMetadataName("System.Threading.Tasks.Task`1");
        ValueTask = compilation.GetTypeByMetadataName("System.Threading.Tasks.ValueTask");
        ValueTaskOfT = compilation.GetTypeByMetadataName("System.Threading.Tasks.ValueTask`1");
        TaskFactory = compilation.GetTypeByMetadataName("System.Threading.Tasks.TaskFactory");
        TaskFactoryOfT = compilation.GetTypeByMetadataName("System.Threading.Tasks.TaskFactory`1");
        TaskScheduler = compilation.GetTypeByMetadataName("System.Threading.Tasks.TaskScheduler");
        PipeScheduler = compilation.GetTypeByMetadataName("System.IO.Pipelines.PipeScheduler");
        AsyncEnumerableExtensions = compilation.GetTypeByMetadataName("System.Threading.Tasks.TaskAsyncEnumerableExtensions");
        ConfiguredAsyncEnumerable = compilation.GetTypeByMetadataName(
            "System.Runtime.CompilerServices.ConfiguredCancelableAsyncEnumerable`1");
        MemoryOwner = compilation.GetTypeByMetadataName("System.Buffers.IMemoryOwner`1");
    }

    public INamedTypeSymbol NodeId { get; }

    public INamedTypeSymbol? Node { get; }

    public INamedTypeSymbol? Topology { get; }

    public INamedTypeSymbol? Plan { get; }

    public INamedTypeSymbol? NodePlan { get; }

    public INamedTypeSymbol? Block { get; }

    public INamedTypeSymbol? Pool { get; }

    public INamedTypeSymbol? PoolOfT { get; }

    public INamedTypeSymbol? Pools { get; }

    public INamedTypeSymbol? PoolHandle { get; }

    public INamedTypeSymbol? NodeAllocator { get; }

    public INamedTypeSymbol? Scheduler { get; }

    public INamedTypeSymbol? SwitchAwaitable { get; }

    public INamedTypeSymbol? TaskExtensions { get; }

    public INamedTypeSymbol? Loop { get; }

    public INamedTypeSymbol? LoopHandler { get; }

    public INamedTypeSymbol? DatagramHandler { get; }

    public INamedTypeSymbol? Task { get; }

    public INamedTypeSymbol? TaskOfT { get; }

    public INamedTypeSymbol? ValueTask { get; }

    public INamedTypeSymbol? ValueTaskOfT { get; }

    public INamedTypeSymbol? TaskFactory { get; }

    public INamedTypeSymbol? TaskFactoryOfT { get; }

    public INamedTypeSymbol? TaskScheduler { get; }

    public INamedTypeSymbol? PipeScheduler { get; }

    public INamedTypeSymbol? AsyncEnumerableExtensions { get; }

    public INamedTypeSymbol? ConfiguredAsyncEnumerable { get; }

    public INamedTypeSymbol? MemoryOwner { get; }

    /// <summary>The types of a compilation; <see langword="null"/> if it does not refer to NumaSharp.</summary>
    public static NumaTypes? From(Compilation compilation) =>
        compilation.GetTypeByMetadataName("NumaSharp.Core.NumaNodeId") is { } nodeId ? new NumaTypes(compilation, nodeId) : null;

    public static bool Is(ITypeSymbol? type, INamedTypeSymbol? expected) =>
        expected is not null && SymbolEqualityComparer.Default.Equals(type?.OriginalDefinition, expected);

    public static bool IsOrDerivesFrom(ITypeSymbol? type, INamedTypeSymbol expected)
    {
        for (var each = type; each is not null; each = each.BaseType)
        {
            if (Is(each, expected))
            {
                return true;
            }
        }

        return false;
    }

    public bool IsTask(ITypeSymbol? type) => Is(type, Task) || Is(type, TaskOfT);

    public bool IsValueTask(ITypeSymbol? type) => Is(type, ValueTask) || Is(type, ValueTaskOfT);

    /// <summary>Whether it has the <c>ConfigureAwait</c> of <c>await foreach</c> and <c>await using</c>.</summary>
    public bool ConfiguresSequenceOrDisposal(ITypeSymbol? type) =>
        Is(type, AsyncEnumerableExtensions) || Is(type, ConfiguredAsyncEnumerable);

    public bool IsTaskFactory(ITypeSymbol? type) => Is(type, TaskFactory) || Is(type, TaskFactoryOfT);
}
