using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// The platform's memory, with calls recorded and failures on demand. Not a SimulatedMachine: tests answer each call by code of
/// their own (every third one, at random, from some call on), which its faults do not express, and choose the unit of commits.
/// </summary>
public sealed class FaultyMemoryProvider : INumaMemoryProvider
{
    public static readonly NumaResult NotPermitted = new(NumaFailure.NotPermitted, 1, "EPERM");
    public static readonly NumaResult NoMemory = new(NumaFailure.OutOfMemory, 12, "ENOMEM");
    public static readonly NumaResult Invalid = new(NumaFailure.InvalidArgument, 22, "EINVAL");

    private readonly INumaMemoryProvider _inner = NumaPlatform.Default.Memory;
    private readonly Lock _lock = new();
    private readonly List<(nint Address, nuint Size)> _reserved = [];

    // The first wrong call. Where the library catches what a provider throws, a test fails when it counts the reservations.
    private string? _wrong;

    public string Name => "Faulty";

    /// <summary>The platform's, or a multiple of it.</summary>
    public nuint PageSize { get; init; } = NumaPlatform.Default.Memory.PageSize;

    /// <summary>The platform's, but at least a page.</summary>
    public nuint CommitUnit { get => nuint.Max(field, PageSize); init; } = NumaPlatform.Default.Memory.CommitUnit;

    public Func<NumaResult> OnReserve { get; set; } = static () => NumaResult.Success;

    public Func<NumaResult> OnCommit { get; set; } = static () => NumaResult.Success;

    // Nothing is really bound: these tests run where the system may refuse it.
    public Func<NumaResult> OnBind { get; set; } = static () => NumaResult.Success;

    /// <summary>As <see cref="OnBind"/>, by what is asked for.</summary>
    public Func<NumaPlacement, NumaResult> OnPlace { get; set; } = static _ => NumaResult.Success;

    /// <summary>The answer to advice, which is not given then; <see langword="null"/> to give it.</summary>
    public Func<NumaResult>? OnAdvise { get; set; }

    /// <summary>Called before advice is answered; while it runs, other calls are answered.</summary>
    public Action<nint, nuint, NumaMemoryAdvice> OnAdvising { get; set; } = static (_, _, _) => { };

    /// <summary>Called after the memory was given back; while it runs, other calls are answered.</summary>
    public Action OnRelease { get; set; } = static () => { };

    public List<NumaPlacement> Placements { get; } = [];

    /// <summary>The sizes of the ranges of <see cref="Placements"/>.</summary>
    public List<nuint> PlacedSizes { get; } = [];

    public nuint CommittedBytes { get; private set; }

    public int CommitCount { get; private set; }

    public int ReservationCount
    {
        get
        {
            Assert.Null(_wrong);
            return _reserved.Count;
        }
    }

    public nuint LargestReservation => _reserved.Max(static range => range.Size);

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        lock (_lock)
        {
            var result = OnReserve();
            if (result.Succeeded)
            {
                result = _inner.Reserve(size, alignment, out address);
            }

            if (result.Succeeded)
            {
                _reserved.Add((address, size));
            }

            return result;
        }
    }

    public NumaResult Commit(nint address, nuint size)
    {
        lock (_lock)
        {
            Check(IsInside(address, size), "Committed outside every reservation.");
            CommitCount++;
            var result = OnCommit();
            CommittedBytes += result.Succeeded ? size : 0;
            return result.Succeeded ? _inner.Commit(address, size) : result;
        }
    }

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        lock (_lock)
        {
            Check(IsInside(address, size), "Bound outside every reservation.");
            Placements.Add(placement);
            PlacedSizes.Add(size);
            var result = OnBind();
            return result.Succeeded ? OnPlace(placement) : result;
        }
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice)
    {
        OnAdvising(address, size, advice);
        return OnAdvise?.Invoke() ?? _inner.Advise(address, size, advice);
    }

    public NumaResult Release(nint address, nuint size)
    {
        NumaResult result;
        lock (_lock)
        {
            Check(_reserved.Remove((address, size)), "Released what was not reserved so.");
            result = _inner.Release(address, size);
        }

        OnRelease();
        return result;
    }

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => _inner.QueryNode(address, out nodeId);

    private void Check(bool isRight, string message)
    {
        _wrong ??= isRight ? null : message;
        Assert.True(isRight, message);
    }

    private bool IsInside(nint address, nuint size) =>
        address % (nint)PageSize == 0
        && size % PageSize == 0
        && _reserved.Exists(range => address >= range.Address && address + (nint)size <= range.Address + (nint)range.Size);
}
