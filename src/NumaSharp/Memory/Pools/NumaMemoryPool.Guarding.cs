using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>
/// The modes that find wrong use: an owner is valid for one rent, so that a kept one is refused for good. Threads have no caches.
/// </content>
public sealed partial class NumaMemoryPool
{
    private readonly NumaMemoryChecks _guarding;
    private readonly PoolChecks? _checks;

    internal bool IsGuarded => _guarding != NumaMemoryChecks.None;

    /// <summary>
    /// The blocks in use by the place in the code that rented them, those with the most bytes first. A snapshot. If some are left
    /// at <see cref="System.Buffers.MemoryPool{T}.Dispose()"/>, the pool reports them as the fallback <c>memory.leak</c>.
    /// </summary>
    /// <returns>One item per place.</returns>
    /// <exception cref="InvalidOperationException">
    /// The pool was created without <see cref="NumaMemoryChecks.Full"/>, and does not record this.
    /// </exception>
    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks() => _checks is not null
        ? _checks.GetLiveBlocks()
        : throw new InvalidOperationException(
            $"Where blocks were rented is recorded only with {nameof(NumaMemoryPoolOptions)}."
            + $"{nameof(NumaMemoryPoolOptions.Checks)} = {nameof(NumaMemoryChecks.Full)}.");

    internal string WhereReturned(NumaMemoryBlock block) => _checks?.WhereReturned(block) ?? string.Empty;

    /// <summary>Takes back the memory of a block; its owner stays returned.</summary>
    internal void ReturnGuarded(NumaMemoryBlock block)
    {
        var damage = _checks?.OnReturned(block);
        if (!block.IsDedicated)
        {
            if (_zeroOnReturn && _checks is null)
            {
                block.Clear();
            }

            block = Renew(block);
        }

        ReturnSlow(block);
        if (damage is not null)
        {
            throw MemoryModes.Wrong(damage);
        }
    }

    // Under no lock. The former owner is kept alive until the place has the next one: it must not look abandoned.
    private NumaMemoryBlock Renew(NumaMemoryBlock former)
    {
        var block = new NumaMemoryBlock(this, former.Address, former.Length, former.ClassIndex, former.Slab);
        block.Slab.Track(block);
        GC.KeepAlive(former);
        return block;
    }

    private void CheckRented(NumaMemoryBlock block)
    {
        if (_checks?.OnRented(block) is { } damage)
        {
            ReturnSlow(block);
            throw MemoryModes.Wrong(damage);
        }
    }
}
