using NumaSharp.Core;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>Two nodes with two CPUs and two loops each.</summary>
public sealed class LoopChooserTests
{
    private const int AnyCpu = 0;

    private readonly LoopCounters[] _loops = [new(new(0), 0), new(new(0), 1), new(new(1), 2), new(new(1), 3)];

    [Theory]
    [InlineData(EpollSteering.Cpu)]
    [InlineData(EpollSteering.LeastLoaded)]
    [InlineData(EpollSteering.Kernel)]
    public void Choose_NoConnections_StaysWhereItCame(EpollSteering steering)
    {
        var chooser = new LoopChooser(new LoopLoad(_loops), steering);

        Assert.Equal([0, 1, 2, 3], Enumerable.Range(0, 4).Select(loop => chooser.Choose(loop, AnyCpu)));
    }

    [Fact]
    public void Choose_Kernel_StaysWhateverTheLoad()
    {
        Open(0, 1000);

        Assert.Equal(0, new LoopChooser(new LoopLoad(_loops), EpollSteering.Kernel).Choose(0, AnyCpu));
    }

    [Fact]
    public void Choose_LeastLoaded_IsTheEmptiestOfAll()
    {
        Open(0, 3);
        Open(1, 2);
        Open(2, 1);
        Open(3, 2);

        Assert.Equal(2, new LoopChooser(new LoopLoad(_loops), EpollSteering.LeastLoaded).Choose(0, AnyCpu));
    }

    [Theory]
    [InlineData(4, 0)]
    [InlineData(5, 1)]
    public void Choose_OneLoopOfTheNodeGetsAll_GivesToTheOthersOfTheNode(int connections, int expected)
    {
        Open(0, connections);

        Assert.Equal(expected, new LoopChooser(new LoopLoad(_loops), EpollSteering.Cpu).Choose(0, AnyCpu));
    }

    [Theory]
    [InlineData(64, 0)]
    [InlineData(65, 2)]
    [InlineData(1000, 2)]
    public void Choose_OneNodeGetsAll_GivesToTheOtherWhenItIsLopsided(int connections, int expected)
    {
        Open(0, connections);
        Open(1, connections);

        Assert.Equal(expected, new LoopChooser(new LoopLoad(_loops), EpollSteering.Cpu).Choose(0, AnyCpu));
    }

    // Two caches of a node: close loops first, then those of the other cache, then the other node.
    [Theory]
    [InlineData(4, 0, 0, 0)]
    [InlineData(5, 0, 0, 1)]
    [InlineData(6, 6, 0, 0)]
    [InlineData(7, 7, 0, 2)]
    [InlineData(64, 64, 64, 0)]
    [InlineData(70, 70, 65, 4)]
    public void Choose_NodeWithTwoCaches_GivesToTheNearestThatHasFewEnough(int first, int second, int otherCache, int expected)
    {
        LoopCounters[] loops = [new(new(0), 0, 0), new(new(0), 1, 0), new(new(0), 2, 4), new(new(0), 3, 4), new(new(1), 4, 8)];
        foreach (var (loop, count) in new[] { first, second, otherCache, otherCache }.Index())
        {
            for (var i = 0; i < count; i++)
            {
                loops[loop].OnOpened();
            }
        }

        Assert.Equal(expected, new LoopChooser(new LoopLoad(loops), EpollSteering.Cpu).Choose(0, AnyCpu));
    }

    [Fact]
    public void Follow_CachesThatAreTooSmallNow_LetsLoopsRoam()
    {
        var machine = TestMachines.Row(8);
        machine.LastLevelCaches.Add(CpuSet.Range(0, 4));
        machine.LastLevelCaches.Add(CpuSet.Range(4, 4));
        var plan = machine.Plan();
        LoopCounters[] loops = [.. LoopCounters.For(plan)];
        Assert.Equal([0, 0, 0, 0, 4, 4, 4, 4], loops.Select(static loop => loop.Cache).Order());

        machine.OfflineCpus = CpuSet.Range(0, 2);
        LoopCounters.Follow(loops, plan.Adapt(machine.Read()).Plan);
        Assert.All(loops, static loop => Assert.Equal(-1, loop.Cache));
    }

    [Fact]
    public void Choose_FewMoreOfMany_Stays()
    {
        Open(0, 1100);
        Open(1, 1000);
        Open(2, 600);
        Open(3, 600);

        Assert.Equal(0, new LoopChooser(new LoopLoad(_loops), EpollSteering.Cpu).Choose(0, AnyCpu));
    }

    [Fact]
    public void Choose_TheKernelDoesNotSteer_GoesToTheCpusLoop()
    {
        var chooser = new LoopChooser(new LoopLoad(_loops), EpollSteering.Cpu);
        Assert.False(chooser.NeedsCpu);
        chooser.Follow(Table());

        Assert.True(chooser.NeedsCpu);
        Assert.Equal([0, 1, 2, 3], Enumerable.Range(0, 4).Select(cpu => chooser.Choose(0, cpu)));
    }

    [Theory]
    [InlineData(17)]
    [InlineData(-1)]
    public void Choose_CpuThatNoLoopIsFor_GoesToTheLeastLoaded(int cpu)
    {
        var chooser = new LoopChooser(new LoopLoad(_loops), EpollSteering.Cpu);
        chooser.Follow(Table());
        Open(0, 1);
        Open(1, 1);
        Open(2, 1);

        Assert.Equal(3, chooser.Choose(0, cpu));
    }

    private void Open(int loop, int connections)
    {
        for (var i = 0; i < connections; i++)
        {
            _loops[loop].OnOpened();
        }
    }

    private static SteeringTable Table() => new(TestMachines.Row(2, 2).Plan());
}
