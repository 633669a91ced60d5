using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Memory;
using NumaSharp.Plugins.Simulated.Recording;

namespace NumaSharp.Plugins.Simulated.Providers;

/// <summary>
/// Real memory of this machine, with pages on simulated nodes. Touches cannot be observed, so pages are taken when they are
/// committed: from the nodes they are bound to, and unbound ones from the node of the committing thread.
/// </summary>
internal sealed class SimulatedMemoryProvider(
    SimulatedMachine machine,
    INumaMemoryProvider memory,
    NodeLedger ledger,
    SimulatedAffinityProvider affinity,
    FaultSet faults,
    CallRecorder calls) : INumaMemoryProvider
{
    private readonly Lock _lock = new();
    private readonly SortedList<nint, SimulatedReservation> _reservations = [];

    public string Name => SimulatedMachine.ProviderName;

    public nuint PageSize => memory.PageSize;

    /// <summary>The bytes reserved and not yet released.</summary>
    public long ReservedBytes
    {
        get
        {
            lock (_lock)
            {
                return _reservations.Values.Sum(static reservation => (long)reservation.Size);
            }
        }
    }

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        var result = faults.Meet(SimulatedOperation.Reserve, node => node == affinity.CurrentNodeId);
        if (result.Succeeded)
        {
            result = memory.Reserve(size, alignment, out address);
        }

        if (result.Succeeded)
        {
            lock (_lock)
            {
                _reservations.Add(address, new SimulatedReservation(address, size, PageSize));
            }
        }

        return calls.Record(SimulatedOperation.Reserve, result, sizeBytes: (long)size);
    }

    public NumaResult Commit(nint address, nuint size)
    {
        lock (_lock)
        {
            var wanted = default(NumaNodeId?);
            var result = Check(address, size, out var reservation);
            if (result.Succeeded)
            {
                wanted = PlacerOf(reservation!.Placements[reservation.PageOf(address)]).Wanted;
                result = faults.Meet(SimulatedOperation.Commit, node => node == wanted);
            }

            if (result.Succeeded)
            {
                result = TakePages(reservation!, address, size);
            }

            return calls.Record(SimulatedOperation.Commit, result, wanted, (long)size);
        }
    }

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        lock (_lock)
        {
            var result = CheckAny(address, size, out var reservation);
            if (result.Succeeded)
            {
                result = faults.Meet(SimulatedOperation.Bind, node => placement.Nodes.Contains(node.Value));
            }

            if (result.Succeeded && !HasMemory(placement.Nodes))
            {
                result = SimulatedError.EINVAL.ToResult();
            }

            if (result.Succeeded)
            {
                reservation?.Placements.Set(reservation.PageOf(address), (long)(size / PageSize), placement);
            }

            NumaNodeId? node = placement.Nodes.IsEmpty ? null : new NumaNodeId(placement.Nodes.First);
            return calls.Record(SimulatedOperation.Bind, result, node, (long)size, placement: placement);
        }
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice)
    {
        lock (_lock)
        {
            var result = CheckAny(address, size, out var reservation);
            if (result.Succeeded)
            {
                result = faults.Meet(
                    SimulatedOperation.Advise, node => node == reservation?.Nodes[reservation.PageOf(address)]);
            }

            if (result.Succeeded)
            {
                result = memory.Advise(address, size, advice);
            }

            if (result.Succeeded && advice == NumaMemoryAdvice.Discard && reservation is not null)
            {
                GivePagesBack(reservation, PagesOf(reservation, address, size));
            }
            else if (result.Succeeded && advice == NumaMemoryAdvice.Reset && reservation is not null)
            {
                ReplacePages(reservation, PagesOf(reservation, address, size));
            }

            return calls.Record(SimulatedOperation.Advise, result, sizeBytes: (long)size);
        }
    }

    public NumaResult Release(nint address, nuint size)
    {
        lock (_lock)
        {
            var isWhole = _reservations.TryGetValue(address, out var reservation) && reservation.Size == size;
            var result = isWhole
                ? faults.Meet(SimulatedOperation.Release, reservation!.Nodes.Taken.Contains)
                : SimulatedError.EINVAL.ToResult();
            if (result.Succeeded)
            {
                result = memory.Release(address, size);
            }

            if (result.Succeeded)
            {
                _reservations.Remove(address);
                foreach (var node in reservation!.Nodes.Taken)
                {
                    ledger.GiveBack(node);
                }
            }

            return calls.Record(SimulatedOperation.Release, result, sizeBytes: (long)size);
        }
    }

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
    {
        lock (_lock)
        {
            var node = Find(address, 1) is { } reservation ? reservation.Nodes[reservation.PageOf(address)] : null;
            var result = Find(address, 1) is null
                ? SimulatedError.EINVAL.ToResult()
                : faults.Meet(SimulatedOperation.QueryNode, wanted => wanted == node);
            nodeId = result.Succeeded ? node : null;
            return calls.Record(SimulatedOperation.QueryNode, result, node);
        }
    }

    private NumaResult TakePages(SimulatedReservation reservation, nint address, nuint size)
    {
        var taken = new List<long>();
        PagePlacer? placer = null;
        NumaPlacement? placement = null;
        foreach (var page in PagesOf(reservation, address, size).Where(page => reservation.Nodes[page] is null))
        {
            if (placer is null || !ReferenceEquals(reservation.Placements[page], placement))
            {
                placement = reservation.Placements[page];
                placer = PlacerOf(placement);
            }

            var node = placer.Take(page);
            if (node is null)
            {
                GivePagesBack(reservation, taken);
                return SimulatedError.ENOMEM.ToResult();
            }

            reservation.Nodes[page] = node;
            taken.Add(page);
        }

        var result = memory.Commit(address, size);
        if (!result.Succeeded)
        {
            GivePagesBack(reservation, taken);
        }

        return result;
    }

    private void GivePagesBack(SimulatedReservation reservation, IEnumerable<long> pages)
    {
        foreach (var page in pages)
        {
            if (reservation.Nodes[page] is { } node)
            {
                ledger.GiveBack(node);
                reservation.Nodes[page] = null;
            }
        }
    }

    // The next use, which cannot be observed, takes them: here at once if they are placed, otherwise when they are committed
    // again.
    private void ReplacePages(SimulatedReservation reservation, IEnumerable<long> pages)
    {
        foreach (var page in pages)
        {
            if (reservation.Nodes[page] is { } node)
            {
                ledger.GiveBack(node);
                var placement = reservation.Placements[page];
                reservation.Nodes[page] = placement is null ? null : PlacerOf(placement).Take(page);
            }
        }
    }

    private PagePlacer PlacerOf(NumaPlacement? placement) => new(machine.State, ledger, placement, affinity.CurrentNodeId);

    private bool HasMemory(CpuSet nodes)
    {
        var options = machine.State.Options;
        return options.Nodes.Any(node =>
            nodes.Contains(node.NodeId.Value)
            && node.MemoryBytes > 0
            && options.AllowedNodes?.Contains(node.NodeId.Value) != false);
    }

    private IEnumerable<long> PagesOf(SimulatedReservation reservation, nint address, nuint size)
    {
        var first = reservation.PageOf(address);
        for (var page = first; page < first + (long)(size / PageSize); page++)
        {
            yield return page;
        }
    }

    // As strict as the contract: a violation here would fail on a machine with other page sizes.
    private NumaResult Check(nint address, nuint size, out SimulatedReservation? reservation)
    {
        reservation = Find(address, size);
        return reservation is null || !IsOnPages(address, size) ? SimulatedError.EINVAL.ToResult() : NumaResult.Success;
    }

    // Memory reserved by other code (pinned arrays) has no simulated node, and may be placed and advised as on Linux.
    private NumaResult CheckAny(nint address, nuint size, out SimulatedReservation? reservation)
    {
        var result = Check(address, size, out reservation);
        return reservation is null && IsOnPages(address, size) && !IsPartlyReserved(address, size) ? NumaResult.Success : result;
    }

    private bool IsPartlyReserved(nint address, nuint size) =>
        _reservations.Values.Any(one => one.Start < address + (nint)size && address < one.Start + (nint)one.Size);

    private bool IsOnPages(nint address, nuint size) => (nuint)address % PageSize == 0 && size % PageSize == 0;

    private SimulatedReservation? Find(nint address, nuint size)
    {
        var (low, high) = (0, _reservations.Count - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            if (_reservations.GetKeyAtIndex(middle) <= address)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }

        return high >= 0 && _reservations.GetValueAtIndex(low) is var found && found.Contains(address, size) ? found : null;
    }
}
