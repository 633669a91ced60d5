namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>The blocks in use, no two of which may have a byte in common. Thread-safe.</summary>
internal sealed class ModelBlocks
{
    private readonly Lock _lock = new();
    private readonly SortedSet<ModelBlock> _byAddress =
        new(Comparer<ModelBlock>.Create(static (one, other) => one.Address.CompareTo(other.Address)));

    private readonly List<ModelBlock> _all = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _all.Count;
            }
        }
    }

    /// <summary>Notes a block that the allocator has just given.</summary>
    public void Add(ModelBlock block)
    {
        var last = block with { Address = block.Address + (nint)Math.Max(1, block.Usable) - 1 };
        lock (_lock)
        {
            var before = _byAddress.GetViewBetween(default, last).Max;
            Assert.True(before == default || before.Address + before.Usable <= block.Address, $"{block} overlaps {before}.");
            _byAddress.Add(block);
            _all.Add(block);
        }
    }

    /// <summary>Takes a block out, so that no other thread frees it.</summary>
    public bool TryTake(int pick, out ModelBlock block)
    {
        lock (_lock)
        {
            block = default;
            if (_all.Count == 0)
            {
                return false;
            }

            var index = pick % _all.Count;
            block = _all[index];
            _all[index] = _all[^1];
            _all.RemoveAt(_all.Count - 1);
            _byAddress.Remove(block);
            return true;
        }
    }

    public bool Contains(nint address)
    {
        lock (_lock)
        {
            return _byAddress.Contains(default(ModelBlock) with { Address = address });
        }
    }

    public ModelBlock[] ToArray()
    {
        lock (_lock)
        {
            return [.. _all];
        }
    }
}
