using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core.Memory;

/// <summary>What the checked mode knows of one rent of a block.</summary>
internal sealed class PoolRent(NumaMemoryBlock block, AllocationSite? rentedAt)
{
    private readonly nint _address = block.Address;

    public int Length { get; } = block.Length;

    public AllocationSite? RentedAt => rentedAt;

    public AllocationSite? ReturnedAt { get; private set; }

    public bool IsOver { get; private set; }

    public void End(AllocationSite? site) => (IsOver, ReturnedAt) = (true, site);

    public override string ToString()
    {
        var text = $"the block of {Length} bytes at 0x{_address:x}, rented{AllocationSite.At(rentedAt)}";
        return IsOver ? $"{text} and returned{AllocationSite.At(ReturnedAt)}" : text;
    }
}
