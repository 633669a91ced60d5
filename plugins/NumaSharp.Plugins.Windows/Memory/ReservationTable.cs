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
