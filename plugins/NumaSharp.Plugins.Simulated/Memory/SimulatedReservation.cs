namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>Reserved address space: real memory, simulated nodes.</summary>
internal sealed class SimulatedReservation(nint start, nuint size, nuint pageSize)
{
    public nint Start { get; } = start;

    public nuint Size { get; } = size;

    public PlacementMap Placements { get; } = new();

    public PageNodes Nodes { get; } = new();

    public long PageOf(nint address) => (long)((nuint)(address - Start) / pageSize);

    public bool Contains(nint address, nuint length) =>
        address >= Start && (nuint)(address - Start) <= Size && length <= Size - (nuint)(address - Start);
}
