using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>
/// Only VirtualAllocExNuma, for systems without placeholders: a node can only be set for a whole reservation, by recreating it at
/// the same address.
/// </summary>
internal sealed class PlainSpace(IMemoryCalls calls) : IAddressSpace
{
    /// <summary>The allocation granularity (SYSTEM_INFO.dwAllocationGranularity, the same on all Windows).</summary>
    public const nuint Granularity = 64 * 1024;

    private const int MaxTries = 16;

    // Excludes the provider's own threads while a reservation is briefly released to be recreated.
    private readonly Lock _lock = new();
    private readonly List<Segment> _lost = [];

    public bool HasPlaceholders => false;

    public int Reserve(nuint size, nuint alignment, out nint address)
    {
        lock (_lock)
        {
            int error;
            do
            {
                error = alignment <= Granularity
                    ? calls.Reserve(0, size, null, out address)
                    : ReserveAligned(size, alignment, out address);
            }
            while (error == Win32Error.ERROR_SUCCESS && WasLost(address, size));
            return error;
        }
    }

    public int Cut(nint address, nuint size) => Win32Error.ERROR_NOT_SUPPORTED;

    public int Replace(Segment placeholder, int? node) => Win32Error.ERROR_NOT_SUPPORTED;

    public int Rebind(Segment region, int node)
    {
        lock (_lock)
        {
            var error = calls.Free(region.Start);
            if (error != Win32Error.ERROR_SUCCESS)
            {
                return error;
            }

            error = calls.Reserve(region.Start, region.Size, node, out _);
            if (error != Win32Error.ERROR_SUCCESS
                && calls.Reserve(region.Start, region.Size, region.Node, out _) != Win32Error.ERROR_SUCCESS)
            {
                // Another thread of the process has taken the address: none of it may be touched any more.
                region.IsLost = true;
                _lost.Add(region);
            }

            return error;
        }
    }

    // Windows cannot trim a reservation: find a place, release it, reserve it aligned. Another thread may take it in between.
    private int ReserveAligned(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        var length = size + alignment;
        var error = length < size ? Win32Error.ERROR_NOT_ENOUGH_MEMORY : Win32Error.ERROR_INVALID_ADDRESS;
        for (var i = 0; error == Win32Error.ERROR_INVALID_ADDRESS && i < MaxTries; i++)
        {
            error = calls.Reserve(0, length, null, out var place);
            if (error == Win32Error.ERROR_SUCCESS)
            {
                calls.Free(place);
                var aligned = (nint)(((nuint)place + alignment - 1) & ~(alignment - 1));
                error = calls.Reserve(aligned, size, null, out address);
            }
        }

        return error;
    }

    // Never handed out again, but left reserved: the former owner may still release the same address.
    private bool WasLost(nint address, nuint size) =>
        _lost.Exists(region => region.Start < address + (nint)size && address < region.End);
}
