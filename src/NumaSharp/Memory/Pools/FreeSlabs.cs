namespace NumaSharp.Core.Memory;

/// <summary>
/// The free blocks of one size that no thread keeps, each with its slab. Slabs are listed by how many free blocks they have:
/// blocks come from the fullest, so that the others become wholly free, and wholly free slabs are found without visiting a block
/// (docs/decisions/0016-pool-sizes.md). Blocks that threads gave up last are rented first, and sorted into their slabs later:
/// between two threads they move in bulk. Guarded by the pool's lock.
/// </summary>
internal sealed class FreeSlabs
{
    /// <summary>The group of slabs without a free block.</summary>
    public const int None = -1;

    /// <summary>The group of slabs with all blocks free; of those below it, a lower group has fewer free blocks.</summary>
    public const int Whole = 8;

    /// <summary>The most blocks that are not yet sorted into their slabs.</summary>
    public const int MaxRecent = 1024;

    private readonly PoolSlab?[] _first = new PoolSlab?[Whole + 1];
    private BlockStack _recent = new(0);
    private int _settled;

    public int Count => _settled + _recent.Count;

    /// <summary>The number of blocks and slabs visited, for which other threads waited. For tests.</summary>
    public long Steps { get; private set; }

    public void Push(NumaMemoryBlock block)
    {
        Put(block);
        _settled++;
        Steps++;
    }

    /// <summary>Adds the blocks that have lain longest in a thread's cache, which is smaller than what may be recent.</summary>
    public void TakeBottomOf(ref BlockStack stack, int count)
    {
        var taken = Math.Min(count, stack.Count);
        if (_recent.Count + taken > MaxRecent)
        {
            Settle(MaxRecent / 2);
        }

        _recent.PushAll(stack.Items[..taken]);
        stack.DropBottom(taken);
    }

    /// <summary>Sorts all blocks into their slabs, before slabs are examined.</summary>
    public void Settle() => Settle(_recent.Count);

    /// <summary>Clears references to popped blocks, which only their users may keep alive.</summary>
    public void ForgetPopped() => _recent.ForgetPopped();

    public bool TryPop(out NumaMemoryBlock block)
    {
        block = null!;
        if (Fullest() is not { } slab)
        {
            return false;
        }

        slab.Free.TryPop(out block);
        _settled--;
        Steps++;
        List(slab);
        return true;
    }

    /// <summary>Moves up to <paramref name="count"/> blocks to a stack.</summary>
    public void MoveTo(ref BlockStack stack, int count)
    {
        var recent = Math.Min(count, _recent.Count);
        _recent.MoveTopTo(ref stack, recent);
        count -= recent;
        while (count > 0 && Fullest() is { } slab)
        {
            var moved = Math.Min(count, slab.Free.Count);
            slab.Free.MoveTopTo(ref stack, moved);
            _settled -= moved;
            Steps += moved;
            count -= moved;
            List(slab);
        }
    }

    /// <summary>Takes the free blocks of a slab.</summary>
    public NumaMemoryBlock[] TakeAllOf(PoolSlab slab)
    {
        var blocks = slab.Free.Items.ToArray();
        Steps += blocks.Length;
        Drop(slab);
        return blocks;
    }

    /// <summary>Forgets the free blocks of a slab.</summary>
    public void Drop(PoolSlab slab)
    {
        _settled -= slab.Free.Count;
        slab.Free.Empty();
        List(slab);
    }

    /// <summary>The wholly free slabs, the latest to become so first. The current one may be taken out.</summary>
    public IEnumerable<PoolSlab> FindWhole()
    {
        for (var slab = _first[Whole]; slab is not null;)
        {
            var next = slab.Next;
            Steps++;
            yield return slab;
            slab = next;
        }
    }

    /// <summary>Lists a slab by its free blocks. To be called whenever it has gained or lost blocks, too.</summary>
    public void List(PoolSlab slab)
    {
        var group = slab.GroupOfFree;
        if (group == slab.Group)
        {
            slab.NoteNextGroup();
            return;
        }

        Unlink(slab);
        slab.IsIdle = false;
        slab.Group = group;
        slab.NoteNextGroup();
        if (group == None)
        {
            return;
        }

        slab.Next = _first[group];
        if (slab.Next is { } next)
        {
            next.Previous = slab;
        }

        _first[group] = slab;
    }

    // The blocks that were given up first.
    private void Settle(int count)
    {
        var settled = Math.Min(count, _recent.Count);
        foreach (var block in _recent.Items[..settled])
        {
            Put(block);
        }

        _settled += settled;
        Steps += settled;
        _recent.DropBottom(settled);
    }

    private void Put(NumaMemoryBlock block)
    {
        var slab = block.Slab;
        slab.Free.Push(block);
        if (slab.Free.Count >= slab.NextGroupAt)
        {
            List(slab);
        }
    }

    private PoolSlab? Fullest()
    {
        foreach (var slab in _first)
        {
            if (slab is not null)
            {
                return slab;
            }
        }

        return null;
    }

    private void Unlink(PoolSlab slab)
    {
        if (slab.Group == None)
        {
            return;
        }

        if (slab.Previous is { } previous)
        {
            previous.Next = slab.Next;
        }
        else
        {
            _first[slab.Group] = slab.Next;
        }

        if (slab.Next is { } next)
        {
            next.Previous = slab.Previous;
        }

        (slab.Previous, slab.Next) = (null, null);
    }
}
