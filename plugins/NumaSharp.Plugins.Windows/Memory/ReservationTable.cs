namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>The reservations of a provider, by address. Thread-safe.</summary>
internal sealed class ReservationTable
{
    private readonly Lock _lock = new();
    private readonly List<WindowsReservation> _reservations = [];

    public void Add(WindowsReservation reservation)
    {
        lock (_lock)
        {
            _reservations.Insert(AddressRanges.FindLast(_reservations, reservation.Start) + 1, reservation);
        }
    }

    /// <summary>The reservation that contains a range, or <see langword="null"/>.</summary>
    public WindowsReservation? Find(nint address, nuint size)
    {
        lock (_lock)
        {
            var index = AddressRanges.FindLast(_reservations, address);
            return index >= 0 && _reservations[index].Contains(address, size) ? _reservations[index] : null;
        }
    }

    /// <summary>Removes a reservation, so that only one caller releases it.</summary>
    public bool Remove(WindowsReservation reservation)
    {
        lock (_lock)
        {
            return _reservations.Remove(reservation);
        }
    }
}

/// <summary>Searches lists of ranges in ascending order of address.</summary>
internal static class AddressRanges
{
    /// <summary>The index of the last range that starts at or before an address, or -1.</summary>
    public static int FindLast<T>(List<T> ranges, nint address)
        where T : IAddressRange
    {
        var (low, high) = (-1, ranges.Count - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            (low, high) = (nuint)ranges[middle].Start <= (nuint)address ? (middle, high) : (low, middle - 1);
        }

        return low;
    }
}

/// <summary>A range that can be found by its address.</summary>
internal interface IAddressRange
{
    nint Start { get; }
}
