using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>Every buffer of a connection, however it grows, is on the node of the loop that uses it.</summary>
public sealed class ConnectionBufferTests : ThreeNodeTests
{
    private const int Loops = 4;

    // A block of each of the transport's sizes: 4, 16 and 128 KiB.
    private static readonly int[] s_sizes = [100, 10_000, 400_000];

    [Theory]
    [InlineData("Adaptive")]
    [InlineData("Inline")]
    [InlineData("Node")]
    public async Task Connections_OnAllLoops_RunAndBufferOnTheirNode(string dispatch)
    {
        await using var server = await SeeingServer.StartAsync(dispatch);
        foreach (var cpu in TheMachine.AllCpus)
        {
            await Task.WhenAll(s_sizes.Concat(s_sizes).Select(size => server.ExchangeAsync(size, CpuSet.FromIds(cpu))));
        }

        Assert.Equal(Enumerable.Range(0, Loops), server.Seen.Select(static it => it.Loop).Distinct().Order());
        Assert.All(server.Seen, static it =>
        {
            Assert.Equal(it.Loop / (Loops / TheMachine.CpuNodes.Length), it.Node);
            Assert.Equal([it.Node], it.ThreadNodes);
            Assert.Equal([it.Node], it.InputNodes);
            Assert.Equal([it.Node], it.OutputNodes);
        });
    }

    [Fact]
    public async Task Connection_ReceivedOnACpu_IsOnTheNodeOfThatCpu()
    {
        await using var server = await SeeingServer.StartAsync("Adaptive");
        for (var round = 0; round < 3; round++)
        {
            foreach (var cpu in TheMachine.AllCpus)
            {
                await server.ExchangeAsync(s_sizes[round], CpuSet.FromIds(cpu));
                var seen = server.Seen.Last();

                Assert.Equal(TheMachine.NodeOfCpu(cpu), seen.Node);
                Assert.Equal([seen.Node], seen.ThreadNodes);
                Assert.Equal([seen.Node], seen.InputNodes);
            }
        }
    }
}
