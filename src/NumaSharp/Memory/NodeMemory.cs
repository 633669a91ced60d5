namespace NumaSharp.Core.Memory;

/// <summary>
/// The memory of one node for one owner: reserves, binds as the mode says or falls back to first touch, commits against a limit,
/// counts. Thread-safe except for the limit: check <see cref="AvailableBytes"/> and charge under one lock.
/// </summary>
internal sealed class NodeMemory
{
    private const nuint PieceBytes = 1 << 20;
    private const nuint MaxPieces = 64;

    private readonly string _owner;
    private readonly NumaBindMode _mode;
    private readonly INumaMemoryProvider _provider;
    private readonly NumaFallbacks _fallbacks;
    private readonly ClaimedFallback _bindFallback;
    private readonly ClaimedFallback _shortage;
    private readonly ClaimedFallback _touchFallback;
    private readonly FirstToucher _toucher;
    private MemorySource _source;
    private TouchPlace? _touchPlace;
    private int _isTouchReported;
    private long _committed;

    // Guards the record of refusals, and the turns of the nodes.
    private readonly Lock _placing = new();
    private IEnumerator<NumaPlacement>? _turns;
    private bool _isRefused;
    private volatile bool _isPlaced;

    /// <param name="owner">The owner in messages: <c>memory pool of node 1</c>.</param>
    /// <param name="place">Where pages come from.</param>
    /// <param name="options">The limit, and the receivers of fallbacks; its provider may be wrapped by the owner.</param>
    /// <param name="provider">Gives address space and pages.</param>
    public NodeMemory(string owner, MemoryPlace place, NumaNodeMemoryOptions options, INumaMemoryProvider provider)
    {
        _owner = owner;
        _mode = place.BindMode;
        _provider = provider;
        NodeId = place.NodeId;
        _fallbacks = options.Fallbacks ?? MemoryDefaults.Fallbacks;
        _bindFallback = new(_fallbacks, FallbackCatalog.MemoryBind, NodeId);
        _shortage = new(_fallbacks, FallbackCatalog.MemoryShortage, NodeId);
        _touchFallback = new(_fallbacks, FallbackCatalog.MemoryTouch, NodeId);
        _toucher = new FirstToucher(_provider, options.Affinity ?? NumaPlatform.Default.Affinity);
        _source = place.Source;
        _touchPlace = PlaceOn(place.FirstTouchCpus);
        LimitBytes = options.LimitPerNode;
        PageSize = _provider.PageSize;
        CommitUnit = nuint.Max(PageSize, _provider.CommitUnit);
    }

    public NumaNodeId NodeId { get; }

    /// <summary>The node that pages come from, or come from first.</summary>
    public NumaNodeId MemoryNodeId => Volatile.Read(ref _source).FirstNodeId;

    public long LimitBytes { get; }

    public nuint PageSize { get; }

    /// <summary>The best amount to commit at once.</summary>
    public nuint CommitUnit { get; }

    public long CommittedBytes => Volatile.Read(ref _committed);

    public long AvailableBytes => LimitBytes == 0 ? long.MaxValue : Math.Max(0, LimitBytes - CommittedBytes);

    /// <summary>
    /// Whether a thread on the node touches new memory first, because none of the current source has been bound. Costs a thread
    /// switch for each commit.
    /// </summary>
    public bool IsTouchedFirst =>
        Volatile.Read(ref _touchPlace) is not null
        && (_mode == NumaBindMode.None || (_mode == NumaBindMode.Advisory && !_isPlaced));

    /// <summary>Takes memory from another source from now on; what is bound already stays bound where it is.</summary>
    /// <returns>Whether the source has changed.</returns>
    public bool MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        lock (_placing)
        {
            // A new object in any case: at every change of the plan threads pin themselves again.
            Volatile.Write(ref _touchPlace, PlaceOn(firstTouchCpus));
            if (source.IsSameAs(_source))
            {
                return false;
            }

            // The nodes may have been refused because they were gone (EINVAL): these are other ones.
            _isRefused = false;
            _isPlaced = false;
            _turns = null;
            Volatile.Write(ref _source, source);
            return true;
        }
    }

    public nuint RoundToPages(nuint size) => (size + PageSize - 1) & ~(PageSize - 1);

    /// <summary>Reserves address space and binds it as the mode says.</summary>
    /// <exception cref="NumaException">Strict, and the system refused to bind.</exception>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        var result = _provider.Reserve(size, alignment, out address);
        if (!result.Succeeded)
        {
            return result;
        }

        try
        {
            Bind(address, size);
            return NumaResult.Success;
        }
        catch
        {
            // Strict, or a provider that throws.
            _provider.Release(address, size);
            throw;
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

    /// <summary>Makes charged memory usable; it stays charged in any case.</summary>
    public NumaResult CommitCharged(nint address, nuint size)
    {
        var result = CommitPages(address, size);
        if (result.Succeeded)
        {
            _shortage.End();
        }

        return result;
    }

    /// <summary>Charges memory that is about to be committed, so that no other thread gets it.</summary>
    public void Charge(nuint size) => Interlocked.Add(ref _committed, (long)size);

    /// <summary>Takes back the charge of memory that was not committed.</summary>
    public void Uncharge(nuint size) => Interlocked.Add(ref _committed, -(long)size);

    /// <summary>Reserves, binds and commits charged memory. On failure nothing stays, and the charge is taken back.</summary>
    /// <exception cref="NumaException">Strict, and the system refused to bind.</exception>
    public NumaResult MapCharged(nuint size, nuint alignment, out nint address)
    {
        var isMapped = false;
        try
        {
            var result = Reserve(size, alignment, out address);
            if (result.Succeeded)
            {
                result = CommitReserved(address, size);
            }

            isMapped = result.Succeeded;
            return result;
        }
        finally
        {
            if (!isMapped)
            {
                Uncharge(size);
            }
        }
    }

    /// <summary>Releases a reservation, a part of which was committed.</summary>
    /// <returns>Whether it was released.</returns>
    public bool Release(nint address, nuint reserved, nuint committed)
    {
        var result = _provider.Release(address, reserved);
        OnReleased(result, (long)committed);
        return result.Succeeded;
    }

    /// <summary>Records that a partly committed reservation was released, or could not be.</summary>
    public void OnReleased(NumaResult result, long committed)
    {
        if (result.Succeeded)
        {
            Interlocked.Add(ref _committed, -committed);
            return;
        }

        // munmap(2) fails when a mapping would be split at vm.max_map_count: the memory stays, and stays counted.
        _fallbacks.Report(new NumaFallback(
            FallbackCatalog.MemoryRelease,
            $"{committed} bytes of the {_owner} could not be returned to the system: {result.ErrorName}.",
            NodeId));
    }

    /// <summary>The exception that names node, request, and the limit or the system's reason.</summary>
    public OutOfMemoryException OutOfMemory(long requested, NumaResult reason)
    {
        var why = reason.Succeeded
            ? $"is at its limit: {requested} bytes do not fit, {CommittedBytes} of {LimitBytes} bytes are in use."
            : $"got no memory for {requested} bytes ({reason.ErrorName}); {CommittedBytes} bytes are in use.";
        var message = $"The {_owner} {why}";
        if (!reason.Succeeded && requested <= NumaMemoryPool.LargestPooled)
        {
            // Every caller needs this much; a larger request is that caller's own problem.
            _shortage.Report(message);
        }

#pragma warning disable CA2201 // Callers of pools and allocators catch the BCL's own type for this.
        return new OutOfMemoryException(message);
#pragma warning restore CA2201
    }

    /// <summary>Gives pages back and keeps the address space; to be committed again before use.</summary>
    public bool Discard(nint address, nuint size)
    {
        if (!_provider.Advise(address, size, NumaMemoryAdvice.Discard).Succeeded)
        {
            return false;
        }

        Interlocked.Add(ref _committed, -(long)size);
        return true;
    }

    /// <summary>
    /// Gives the whole pages within a range back. It stays committed: they come back when they are used next, so not where memory
    /// is touched first on the node's CPUs. If refused, they stay.
    /// </summary>
    public void Reset(nint address, nuint size)
    {
        var start = ((nuint)address + PageSize - 1) & ~(PageSize - 1);
        var end = ((nuint)address + size) & ~(PageSize - 1);
        if (end > start && !IsTouchedFirst)
        {
            _ = _provider.Advise((nint)start, end - start, NumaMemoryAdvice.Reset);
        }
    }

    /// <summary>
    /// Exchanges pages for new ones of the current source. Their content is lost, and they stay usable whatever memory the system
    /// has: where pages are touched first and that fails, the thread that uses them next decides.
    /// </summary>
    /// <returns>False if the system does not give them up: they stay as they are.</returns>
    public bool TryReplace(nint address, nuint size)
    {
        if ((((nuint)address | size) & (PageSize - 1)) != 0
            || !_provider.Advise(address, size, NumaMemoryAdvice.Reset).Succeeded)
        {
            return false;
        }

        if (IsTouchedFirst)
        {
            _ = CommitPages(address, size);
        }

        return true;
    }

    private static TouchPlace? PlaceOn(CpuSet? cpus) => cpus is { IsEmpty: false } ? new TouchPlace(cpus) : null;

    private NumaResult CommitReserved(nint address, nuint size)
    {
        var isCommitted = false;
        try
        {
            var result = CommitCharged(address, size);
            isCommitted = result.Succeeded;
            return result;
        }
        finally
        {
            if (!isCommitted)
            {
                Release(address, size, 0);
            }
        }
    }

    private NumaResult CommitPages(nint address, nuint size) =>
        IsTouchedFirst && Volatile.Read(ref _touchPlace) is { } place
            ? CommitOn(place, address, size)
            : _provider.Commit(address, size);

    private NumaResult CommitOn(TouchPlace place, nint address, nuint size)
    {
        var result = _toucher.Commit(address, size, place, out var pinned);
        if (pinned.Succeeded)
        {
            Volatile.Write(ref _isTouchReported, 0);
            _touchFallback.End();
        }
        else if (Interlocked.Exchange(ref _isTouchReported, 1) == 0)
        {
            _touchFallback.Report(
                $"The thread that first touches memory of the {_owner} could not be started, or pinned to CPUs {place.Cpus} "
                + $"({pinned.ErrorName}): pages come from the node of whichever thread touches them first.");
        }

        return result;
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
        _bindFallback.Report(message);
    }
}
