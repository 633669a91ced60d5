namespace NumaSharp.Core.Memory.Allocation;

/// <content>The blocks in use, and the damage found in all blocks.</content>
internal sealed unsafe partial class BlockChecks
{
    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks()
    {
        CheckedBlock[] live;
        lock (_lock)
        {
            live = [.. _blocks.Values.Where(static block => block.State == CheckedState.InUse)];
        }

        return MemoryModes.ByPlace(live.Select(block =>
            (block.AllocatedAt, Allocator.NodeIdOf(block.NodeIndex), (long)block.Size)));
    }

    public override void Verify()
    {
        ThrowFindings();
        var damage = FindDamage();
        if (damage.Count > 0)
        {
            throw MemoryModes.Wrong(MemoryModes.Join(damage));
        }
    }

    public override void ReportAtEnd()
    {
        var damage = FindDamage();
        lock (_lock)
        {
            damage.AddRange(_findings);
            _findings.Clear();
        }

        if (damage.Count > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryDamage,
                $"Memory of the allocator outside its blocks in use was overwritten in {damage.Count} places: "
                + MemoryModes.Join(damage)));
        }

        var live = GetLiveBlocks();
        if (live.Count > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryLeak,
                $"The allocator was disposed with {MemoryModes.Describe(live)}"));
        }
    }

    // Blocks in use stay so while the lock is held: their memory is there.
    private List<string> FindDamage()
    {
        lock (_lock)
        {
            return
            [
                .. _blocks.Values
                    .Select(static block => block.State switch
                    {
                        CheckedState.InUse => block.FindOverrun(),
                        CheckedState.Held => block.FindWriteAfterFree(),
                        _ => null,
                    })
                    .OfType<string>(),
            ];
        }
    }
}
