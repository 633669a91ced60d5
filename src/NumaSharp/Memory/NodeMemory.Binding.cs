namespace NumaSharp.Core.Memory;

/// <content>Where pages come from, and what is reported when that is refused.</content>
internal sealed partial class NodeMemory
{
    private const nuint PieceBytes = 1 << 20;
    private const nuint MaxPieces = 64;

    // Guards the record of refusals, and the turns of the nodes.
    private readonly Lock _placing = new();
    private IEnumerator<NumaPlacement>? _turns;
    private bool _isRefused;
    private volatile bool _isPlaced;

    /// <summary>
    /// Whether a thread on the node touches new memory first, because none of the current source has been bound. Costs a thread
    /// switch for each commit.
    /// </summary>
    public bool IsTouchedFirst =>
        Volatile.Read(ref _touchPlace) is not null
        && (_mode == NumaBindMode.None || (_mode == NumaBindMode.Advisory && !_isPlaced));

    /// <summary>
    /// Sets the source of those pages of a range that do not exist yet; existing ones stay. A refusal is reported.
    /// </summary>
    /// <returns>Whether pages that are taken from now on come from it.</returns>
    public bool Rebind(nint address, nuint size)
    {
        if (size == 0 || _mode == NumaBindMode.None)
        {
            return IsTouchedFirst;
        }

        using (UninterruptedLock.Enter(_placing))
        {
            var result = Place(address, size);
            if (result.Succeeded)
            {
                return true;
            }

            // Memory that was never bound is still touched first by our own thread.
            ReportBind(
                $"Free memory of the {_owner} stays where it was bound before: it could not be bound to {_source} (mbind: "
                + $"{result.ErrorName}).");
            return IsTouchedFirst;
        }
    }

    /// <summary>Binds a part of a reservation that was made elsewhere.</summary>
    /// <exception cref="NumaException">Strict, and the system refused to bind.</exception>
    public void Bind(nint address, nuint size)
    {
        NumaResult result;
        lock (_placing)
        {
            result = TryBind(address, size);
        }

        if (!result.Succeeded)
        {
            throw new NumaException($"mbind (Strict) of {_owner}", result, MemoryNodeId);
        }
    }

    private NumaResult TryBind(nint address, nuint size)
    {
        switch (_mode)
        {
            case NumaBindMode.Strict:
                return Place(address, size);
            case NumaBindMode.Advisory when !_isRefused:
                var result = Place(address, size);
                if (!result.Succeeded)
                {
                    // Not asked again: a seccomp profile does not change.
                    ReportRefusal(result);
                }

                return NumaResult.Success;
            default:
                return NumaResult.Success;
        }
    }

    private NumaResult Place(nint address, nuint size)
    {
        var result = PlaceAsAsked(address, size);
        _isPlaced = result.Succeeded && !_isRefused;
        if (_isPlaced)
        {
            _bindFallback.End();
        }

        return result;
    }

    // MPOL_INTERLEAVE takes pages of other nodes when its own are full: a strict binding needs pieces that are bound one by one.
    private NumaResult PlaceAsAsked(nint address, nuint size)
    {
        // A provider that cannot take turns never can, but the system's weights may match the next time.
        var mayTakeTurns = _turns is null || _source.HasWeights;
        if (mayTakeTurns && !(_source.IsShared && _mode == NumaBindMode.Strict))
        {
            var result = _provider.Bind(address, size, _source.PlacementFor(_mode));
            if (!_source.IsShared || result.Failure is not (NumaFailure.NotSupported or NumaFailure.InvalidArgument))
            {
                return result;
            }
        }

        _turns ??= _source.TurnsFor(_mode).GetEnumerator();
        return PlaceInPieces(address, size, _turns);
    }

    private NumaResult PlaceInPieces(nint address, nuint size, IEnumerator<NumaPlacement> turns)
    {
        // Every piece is a mapping in the kernel, and vm.max_map_count is 65530.
        var piece = RoundToPages(Math.Max(PieceBytes, size / MaxPieces));
        for (nuint offset = 0; offset < size; offset += piece)
        {
            turns.MoveNext();
            var result = _provider.Bind(address + (nint)offset, Math.Min(piece, size - offset), turns.Current);
            if (!result.Succeeded)
            {
                return result;
            }
        }

        return NumaResult.Success;
    }

    private void ReportRefusal(NumaResult result)
    {
        var instead = _touchPlace is { } place
            ? $"A thread on CPUs {place.Cpus} touches it first instead."
            : "Pages come from the node of the thread that touches them first.";
        ReportBind($"The {_owner} could not be bound to {_source} (mbind: {result.ErrorName}). {instead}");
    }

    // In force until a later source is granted to this owner and to all others of the node that were refused.
    private void ReportBind(string message)
    {
        _isRefused = true;
        _bindFallback.Tell(message);
    }
}
