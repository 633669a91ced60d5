using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Memory;

/// <summary>Any sequence of calls: what succeeded is so in the system, and in the end nothing is left.</summary>
public sealed class MemoryModelTests
{
    private const int Parts = 16;
    private const int PartBytes = 64 << 10;

    [Theory]
    [InlineData(true, 100)]
    [InlineData(false, 100)]
    [InlineData(true, 1000, Traits = ["tier", "deep"])]
    [InlineData(false, 1000, Traits = ["tier", "deep"])]
    public void AnyCalls_KeepTheirPromises(bool hasPlaceholders, int samples)
    {
        var calls =
            from kind in Gen.Choose(0, 2)
            from first in Gen.Choose(0, Parts - 1)
            from count in Gen.Choose(1, Parts)
            from node in Gen.Choose(0, 2)
            select (kind, first, Math.Min(count, Parts - first), node);
        Prop.ForAll(calls.ListOf().ToArbitrary(), list => Play([.. list], hasPlaceholders))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(samples).WithQuietOnSuccess(true));
    }

    private static void Play((int Kind, int First, int Count, int Node)[] calls, bool hasPlaceholders)
    {
        var memory = new FakeMemory { HasPlaceholders = hasPlaceholders, AbsentNode = 2 };
        var provider = new WindowsMemoryProvider(memory);
        Assert.True(provider.Reserve(Parts * PartBytes, 2 << 20, out var start).Succeeded);
        var committed = new bool[Parts];
        foreach (var (kind, first, count, node) in calls)
        {
            var (address, size) = (start + (first * PartBytes), (nuint)(count * PartBytes));
            switch (kind)
            {
                case 0 when provider.Bind(address, size, NumaPlacement.Prefer(new(node))).Succeeded:
                    Assert.NotEqual(2, node);
                    Assert.All(
                        Enumerable.Range(first, count),
                        part => Assert.Equal(node, memory.NodeOf(start + (part * PartBytes))));
                    break;
                case 1:
                    Assert.True(provider.Commit(address, size).Succeeded);
                    committed.AsSpan(first, count).Fill(true);
                    break;
                case 2:
                    Assert.True(provider.Advise(address, size, NumaMemoryAdvice.Discard).Succeeded);
                    committed.AsSpan(first, count).Clear();
                    break;
                default:
                    break;
            }

            Assert.Equal(committed, Enumerable.Range(0, Parts).Select(part => memory.IsCommitted(start + (part * PartBytes))));
        }

        Assert.True(provider.Release(start, Parts * PartBytes).Succeeded);
        Assert.Equal(0, memory.Count);
    }
}
