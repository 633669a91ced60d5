using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>Two nodes, 4 and 7, with two loops each.</summary>
public sealed class LoopLoadTests
{
    private readonly LoopCounters[] _loops = [new(new(4), 0), new(new(4), 1), new(new(7), 2), new(new(7), 3)];
    private readonly LoopLoad _load;

    public LoopLoadTests() => _load = new LoopLoad(_loops);

    [Fact]
    public void Least_AllAreEqual_TakeTurns()
    {
        Open(1, 1, 1, 1);

        Assert.Equal([0, 1, 2, 3], Enumerable.Range(0, 4).Select(_ => _load.Least()).Order());
    }

    [Fact]
    public void Least_ConnectionsStayOpen_LoopsGetTheSameNumber()
    {
        for (var i = 0; i < 12; i++)
        {
            _loops[_load.Least()].OnOpened();
        }

        Assert.All(_loops, static loop => Assert.Equal(3, loop.Active));
    }

    [Fact]
    public void Least_OneHasFewer_IsThatOneEveryTime()
    {
        Open(2, 2, 1, 2);

        Assert.All(Enumerable.Range(0, 8), _ => Assert.Equal(2, _load.Least()));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void Least_PreferredIsAmongTheEqual_IsThatOne(int preferred)
    {
        Open(1, 2, 2, 1);

        Assert.Equal(preferred, _load.Least(preferred));
    }

    [Fact]
    public void LeastOn_OtherNodeHasFewer_IsOfTheNode()
    {
        Open(0, 0, 6, 5);

        Assert.Equal(3, _load.LeastOn(new(7)));
        Assert.Equal(3, _load.LeastNear(2));
    }

    [Fact]
    public void LeastOn_NodeWithoutLoops_IsTheLeastOfAll()
    {
        Open(3, 2, 1, 2);

        Assert.Equal(2, _load.LeastOn(new(5)));
    }

    private void Open(params int[] connections)
    {
        for (var loop = 0; loop < connections.Length; loop++)
        {
            for (var i = 0; i < connections[loop]; i++)
            {
                _loops[loop].OnOpened();
            }
        }
    }
}
