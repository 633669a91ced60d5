using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class IdleSetTests
{
    private readonly IdleSet _set = new(200);

    [Fact]
    public void TryTake_SeveralSlots_GivesTheLowestFirst()
    {
        foreach (var slot in new[] { 199, 64, 63, 3 })
        {
            _set.Add(slot);
        }

        var taken = new List<int>();
        while (_set.TryTake(out var slot))
        {
            taken.Add(slot);
        }

        Assert.Equal([3, 63, 64, 199], taken);
        Assert.True(_set.IsEmpty);
    }

    [Fact]
    public void TryRemove_Twice_SucceedsOnce()
    {
        _set.Add(130);

        Assert.False(_set.IsEmpty);
        Assert.False(_set.TryRemove(129));
        Assert.True(_set.TryRemove(130));
        Assert.False(_set.TryRemove(130));
        Assert.True(_set.IsEmpty);
    }
}
