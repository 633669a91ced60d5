using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Memory;

namespace NumaSharp.Plugins.Windows;

/// <summary>
/// Memory of Windows: VirtualAlloc2 with placeholders, or VirtualAllocExNuma on systems without them, VirtualFree, and
/// QueryWorkingSetEx. Thread-safe.
/// </summary>
/// <remarks>
/// Windows prefers a node and never guarantees one: <see cref="NumaPlacementKind.Bound"/> and
/// <see cref="NumaPlacementKind.Interleaved"/> are not supported, and of several preferred nodes the first counts. The node is
/// fixed when a range is bound or first committed: binding committed memory to another node is refused. Without placeholders
/// (before Windows Server 2019) only a whole reservation can be bound.
/// </remarks>
public sealed class WindowsMemoryProvider : INumaMemoryProvider
{
    private readonly IMemoryCalls? _calls;
    private readonly Lazy<IAddressSpace> _space;
    private readonly ReservationTable _reservations = new();

    /// <summary>Creates a provider for the machine of this process.</summary>
    public WindowsMemoryProvider()
        : this(WindowsSystem.Calls)
    {
    }

    internal WindowsMemoryProvider(IMemoryCalls? calls)
    {
        _calls = calls;
        _space = new Lazy<IAddressSpace>(
            () => PlaceholderSpace.IsSupported(calls!) ? new PlaceholderSpace(calls!) : new PlainSpace(calls!));
    }

    /// <inheritdoc/>
    public string Name => WindowsTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public nuint PageSize { get; } = (nuint)Environment.SystemPageSize;

    /// <inheritdoc/>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        if (_calls is null)
        {
            return WindowsSystem.NotAvailable;
        }

        var error = _space.Value.Reserve(size, alignment, out address);
        if (error == Win32Error.ERROR_SUCCESS)
        {
            _reservations.Add(new WindowsReservation(_calls, _space.Value, address, size));
        }

        return Win32Results.From(error);
    }

    /// <inheritdoc/>
    public NumaResult Commit(nint address, nuint size) =>
        With(address, size, reservation => reservation.Commit(address, size));

    /// <inheritdoc/>
    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        if (placement.Nodes.IsEmpty)
        {
            return Win32Results.From(Win32Error.ERROR_INVALID_PARAMETER);
        }

        return placement.Kind == NumaPlacementKind.Preferred
            ? With(address, size, reservation => reservation.Bind(address, size, placement.Nodes.First))
            : Win32Results.From(Win32Error.ERROR_NOT_SUPPORTED);
    }

    /// <inheritdoc/>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => advice switch
    {
        NumaMemoryAdvice.Discard => With(address, size, reservation => reservation.Decommit(address, size)),

        // Large pages must be requested on commit, by accounts that may lock pages: no hint can create them.
        NumaMemoryAdvice.HugePages => Win32Results.From(Win32Error.ERROR_NOT_SUPPORTED),

        // After a change of nodes, pools and allocators then move only what is wholly free: they release or decommit that.
        NumaMemoryAdvice.Reset => Win32Results.From(Win32Error.ERROR_NOT_SUPPORTED),
        _ => throw new ArgumentOutOfRangeException(nameof(advice), advice, "Not a NumaMemoryAdvice value."),
    };

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size) => With(
        address,
        size,
        reservation =>
        {
            if (reservation.Start != address || reservation.Size != size || !_reservations.Remove(reservation))
            {
                return Win32Error.ERROR_INVALID_PARAMETER;
            }

            var error = reservation.Release();
            if (error != Win32Error.ERROR_SUCCESS)
            {
                _reservations.Add(reservation);
            }

            return error;
        });

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
    {
        nodeId = null;
        if (_calls is null)
        {
            return WindowsSystem.NotAvailable;
        }

        var error = _calls.QueryPage((nint)((nuint)address & ~(PageSize - 1)), out var page);
        nodeId = error == Win32Error.ERROR_SUCCESS && page.NodeId is >= 0 and var node ? new NumaNodeId(node) : null;
        return Win32Results.From(error);
    }

    private NumaResult With(nint address, nuint size, Func<WindowsReservation, int> action) =>
        _calls is null ? WindowsSystem.NotAvailable
        : _reservations.Find(address, size) is { } reservation ? Win32Results.From(action(reservation))
        : Win32Results.From(Win32Error.ERROR_INVALID_ADDRESS);
}
