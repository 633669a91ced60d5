using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class NumaPartitionerTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly NumaTaskScheduler _scheduler;

    public NumaPartitionerTests()
    {
        // Nodes in a row: 0, 1, 2 with one CPU each, and 3 without, which 2 serves.
        var options = TestMachine.Options(TestMachine.Plan(1, 1, 1, 0), NumaSchedulingPolicy.Spread);
        options.Affinity = _affinity;
        _scheduler = new NumaTaskScheduler(options);
    }

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public void Create_InParallelForEach_GivesEachElementOnce()
    {
        int[][] data = [[.. Enumerable.Range(0, 1000)], [.. Enumerable.Range(1000, 3)], [], [.. Enumerable.Range(1003, 500)]];
        var seen = new int[1503];
        var partitioner = NumaPartitioner.Create(_scheduler, data);

        for (var round = 0; round < 2; round++)
        {
            Parallel.ForEach(
                partitioner,
                new ParallelOptions { TaskScheduler = _scheduler },
                number =>
                {
                    Assert.NotEqual(-1, NumaTaskScheduler.CurrentNodeIndex);
                    Interlocked.Increment(ref seen[number]);
                });
        }

        Assert.All(seen, static count => Assert.Equal(2, count));
    }

    [Fact]
    public void Create_InPlinq_GivesEachElementOnce()
    {
        IReadOnlyList<IReadOnlyList<int>> data = [[1, 2, 3], new List<int> { 4, 5 }, [], [6]];

        Assert.Equal([1, 2, 3, 4, 5, 6], NumaPartitioner.Create(_scheduler, data).AsParallel().Order());
    }

    [Theory]
    [InlineData(0, new[] { 0, 1, 2, 3 })]
    [InlineData(1, new[] { 1, 0, 2, 3 })]
    [InlineData(2, new[] { 2, 3, 1, 0 })]
    public async Task CreateRanges_OnANodesWorker_GivesItsDataFirstThenTheNearest(int nodeIndex, int[] expected)
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 1, 0);
        var partitions = NumaPartitioner.CreateRanges(scheduler, [100, 100, 100, 100]).GetDynamicPartitions();

        await scheduler.SwitchTo(nodeIndex);
        var ranges = partitions.ToArray();

        Assert.Equal(expected, ranges.Select(static range => range.NodeIndex).Distinct());
        Assert.Empty(partitions);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    public void CreateRanges_OnAnotherThread_GivesTheDataOfItsCpusNodeFirst(int cpu, int expected)
    {
        _affinity.CurrentCpu = cpu;

        var first = NumaPartitioner.CreateRanges(_scheduler, [9, 9, 9, 9]).GetDynamicPartitions().First();

        Assert.Equal((expected, 0), (first.NodeIndex, first.Start));
    }

    [Fact]
    public void CreateRanges_OfOneNode_BecomeSmallerAndAreAllInOrder()
    {
        var ranges = NumaPartitioner.CreateRanges(_scheduler, [1000, 0, 0, 0]).GetDynamicPartitions().ToArray();

        Assert.Equal(250, ranges[0].Length);
        Assert.Equal(1, ranges[^1].Length);
        Assert.Equal(ranges.Select(static range => range.Length).OrderDescending(), ranges.Select(static range => range.Length));
        Assert.Equal(0, ranges[0].Start);
        Assert.Equal(1000, ranges[^1].End);
        Assert.All(ranges.Zip(ranges.Skip(1)), static pair => Assert.Equal(pair.First.End, pair.Second.Start));
    }

    [Fact]
    public void GetPartitions_SomeNumber_ShareTheData()
    {
        var partitions = NumaPartitioner.CreateRanges(_scheduler, [40, 0, 2, 0]).GetPartitions(3);
        var lengths = new ConcurrentBag<int>();

        foreach (var partition in partitions.Concat(partitions))
        {
            for (var i = 0; i < 3 && partition.MoveNext(); i++)
            {
                lengths.Add(partition.Current.Length);
            }
        }

        foreach (var partition in partitions)
        {
            while (partition.MoveNext())
            {
                lengths.Add(partition.Current.Length);
            }
        }

        Assert.Equal(3, partitions.Count);
        Assert.Equal(42, lengths.Sum());
    }

    [Fact]
    public void Create_WrongData_Throws()
    {
        int[][] three = [[], [], []];
        var error = Assert.Throws<ArgumentException>(() => NumaPartitioner.Create(_scheduler, three));
        Assert.Contains("3 nodes was given; the plan has 4", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => NumaPartitioner.CreateRanges(_scheduler, [1, 2, 3, 4, 5]));
        Assert.Throws<ArgumentOutOfRangeException>(() => NumaPartitioner.CreateRanges(_scheduler, [1, 2, -3, 4]));
        Assert.Throws<ArgumentNullException>(() => NumaPartitioner.CreateRanges(_scheduler, null!));
        Assert.Throws<ArgumentNullException>(() => NumaPartitioner.CreateRanges(null!, [1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => NumaPartitioner.CreateRanges(_scheduler, [1, 1, 1, 1]).GetPartitions(0));
    }
}
