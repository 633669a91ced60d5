using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Transport;

public sealed class CurrentNodePoolTests
{
    [Theory]
    [InlineData(-1, 4096)]
    [InlineData(0, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(4097, 8192)]
    [InlineData(1 << 20, 1 << 20)]
    public void Rent_Size_GivesAtLeastAKestrelBlock(int size, int length)
    {
        using var host = NumaHost.Create(("Memory:BlockSize", "64"));
        using var pool = host.Services.GetRequiredService<CurrentNodePoolFactory>().Create();
        using var owner = pool.Rent(size);
        Assert.Equal(length, owner.Memory.Length);
    }

    [Theory]
    [InlineData(-2)]
    [InlineData((1 << 20) + 1)]
    public void Rent_SizeOutsideTheRange_Throws(int size)
    {
        using var host = NumaHost.Create();
        using var pool = host.Services.GetRequiredService<CurrentNodePoolFactory>().Create();
        Assert.Equal(1 << 20, pool.MaxBufferSize);
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Rent(size));
    }

    [Fact]
    public void Rent_ThreadOnEachNode_IsOfThatNode()
    {
        for (var nodeId = 0; nodeId < 2; nodeId++)
        {
            using var machine = NumaHost.TwoNodes();
            machine.Platform.Affinity.SetThreadCpus(CpuSet.Range(2 * nodeId, 2)).ThrowIfFailed("Pinning");
            using var host = NumaHost.Create(machine);
            using var pool = host.Services.GetRequiredService<CurrentNodePoolFactory>().Create();
            using var owner = pool.Rent();
            Assert.Equal(nodeId, Assert.IsType<NumaMemoryBlock>(owner).NodeId.Value);
        }
    }

    [Fact]
    public void Dispose_BlocksInUse_StayCountedAndGoBackToTheirNode()
    {
        using var host = NumaHost.Create();
        var factory = host.Services.GetRequiredService<CurrentNodePoolFactory>();
        var pool = factory.Create();
        using var other = factory.Create();
        var owner = pool.Rent();
        pool.Dispose();
        pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        Assert.Equal(1, factory.Pools![0].RentedBlocks);
        owner.Memory.Span.Fill(1);
        owner.Dispose();
        Assert.Throws<ObjectDisposedException>(owner.Dispose);
        Assert.Equal(0, factory.Pools[0].RentedBlocks);
        other.Rent().Dispose();
    }

    [Fact]
    public void Rent_AtTheLimit_ThrowsAndNamesNodeAndLimit()
    {
        using var host = NumaHost.Create(("Memory:LimitPerNode", "4MiB"), ("Memory:BlockSize", "1MiB"));
        using var pool = host.Services.GetRequiredService<CurrentNodePoolFactory>().Create();
        var owners = Enumerable.Range(0, 3).Select(_ => pool.Rent()).ToList();

        var exception = Assert.Throws<OutOfMemoryException>(() => owners.Add(pool.Rent()));
        Assert.Contains("memory pool of node 0", exception.Message, StringComparison.Ordinal);
        Assert.Contains("of 4194304 bytes", exception.Message, StringComparison.Ordinal);
        owners.ForEach(static owner => owner.Dispose());
        pool.Rent().Dispose();
    }

    [Fact]
    public void Pools_HugePagesTooLargeForArrays_AreOrdinary()
    {
        var reservations = 0;
        var memory = new FaultyMemoryProvider
        {
            PageSize = 2 << 20,
            OnReserve = () =>
            {
                reservations++;
                return NumaResult.Success;
            },
        };
        using var machine = NumaHost.TwoNodes();
        var builder = NumaHost.CreateBuilder(("Binding:Mode", "None"));
        builder.AddNuma(numa => numa.UsePlatform(
            new NumaPlatform(machine.Platform.Topology, memory, machine.Platform.Affinity)));
        using var host = builder.Build();
        using var pool = host.Services.GetRequiredService<CurrentNodePoolFactory>().Create();
        using var owner = pool.Rent();
        Assert.Equal(0, reservations);
        Assert.InRange(host.Services.GetRequiredService<CurrentNodePoolFactory>().Pools![0].CommittedBytes, 4096, 1 << 20);
    }
}
