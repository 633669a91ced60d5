namespace NumaSharp.Core.Memory.Allocation;

/// <content>Freed blocks: they wait, are checked, and are remembered.</content>
internal sealed unsafe partial class BlockChecks
{
    private const int MostHeld = 1024;
    private const long MostHeldBytes = 16L << 20;
    private const int MostRemembered = 64 * 1024;

    private readonly Queue<CheckedBlock> _held = new();
    private readonly Queue<CheckedBlock> _remembered = new();

    // By the allocator's address: the last block there, until its run is given to another size.
    private readonly Dictionary<nint, CheckedBlock> _former = [];
    private readonly List<string> _findings = [];
    private long _heldBytes;
    private bool _closed;

    public override void ReleaseHeld() => ReleaseHeld(0, 0);

    public override void Close()
    {
        lock (_lock)
        {
            _closed = true;
        }

        ReleaseHeld();
    }

    private void Hold(CheckedBlock block)
    {
        bool isHeld;
        lock (_lock)
        {
            isHeld = !_closed;
            if (isHeld)
            {
                block.State = CheckedState.Held;
                _held.Enqueue(block);
                _heldBytes += (long)block.Size;
            }
        }

        if (isHeld)
        {
            ReleaseHeld(MostHeld, MostHeldBytes);
        }
        else
        {
            FreeForGood(block);
        }
    }

    private void ReleaseHeld(int mostHeld, long mostBytes)
    {
        while (TakeHeld(mostHeld, mostBytes) is { } block)
        {
            if (block.FindWriteAfterFree() is { } damage)
            {
                // Reported once.
                block.Run = null;
                lock (_lock)
                {
                    _findings.Add(damage);
                }
            }

            FreeForGood(block);
        }
    }

    private CheckedBlock? TakeHeld(int mostHeld, long mostBytes)
    {
        lock (_lock)
        {
            if (_held.Count == 0 || (_held.Count <= mostHeld && _heldBytes <= mostBytes))
            {
                return null;
            }

            var block = _held.Dequeue();
            block.State = CheckedState.Leaving;
            _heldBytes -= (long)block.Size;
            return block;
        }
    }

    // Remembered before it is freed: from then on another thread may get it.
    private void FreeForGood(CheckedBlock block)
    {
        lock (_lock)
        {
            block.State = CheckedState.Free;
            _former[block.Start] = block;
            _remembered.Enqueue(block);
            if (_remembered.Count > MostRemembered)
            {
                Forget(_remembered.Dequeue());
            }
        }

        Allocator.FreeUnguarded(block.Start);
    }

    /// <summary>The block that was where a new one is, if its memory has not been used since.</summary>
    private CheckedBlock? TakeFormer(CheckedBlock block)
    {
        lock (_lock)
        {
            if (!_former.TryGetValue(block.Start, out var former))
            {
                return null;
            }

            Forget(former);
            return former.Run is not null && former.Run == block.Run ? former : null;
        }
    }

    private void Forget(CheckedBlock block)
    {
        if (_former.GetValueOrDefault(block.Start) == block)
        {
            _former.Remove(block.Start);
        }

        if (_blocks.GetValueOrDefault(block.Address) == block)
        {
            _blocks.Remove(block.Address);
        }
    }

    private void ThrowFindings()
    {
        string text;
        lock (_lock)
        {
            if (_findings.Count == 0)
            {
                return;
            }

            text = string.Join(' ', _findings);
            _findings.Clear();
        }

        throw MemoryModes.Wrong(text);
    }
}
