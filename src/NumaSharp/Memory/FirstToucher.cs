using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using NumaSharp.Interop;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Commits ranges and takes their pages on the node of some CPUs, without mbind: the kernel's default policy gives a page from
/// the node of the thread that touches it first (set_mempolicy(2), MPOL_DEFAULT). One thread, which starts with the first range
/// and ends when there has been none for a while. Ranges take turns, part by part: a large one delays others by a part.
/// Thread-safe.
/// </summary>
/// <param name="memory">The provider of the memory.</param>
/// <param name="affinity">Pins the thread.</param>
/// <param name="start">Starts the thread; tests pass their own.</param>
/// <param name="idle">How long the thread waits for a range; 10 s unless a test says otherwise.</param>
internal sealed class FirstToucher(
    INumaMemoryProvider memory, INumaAffinityProvider affinity, Action<Thread>? start = null, TimeSpan? idle = null)
{
    private const nuint LargestPart = 1 << 20;
    private const int StackSizeBytes = 128 * 1024;

    private readonly TimeSpan _idle = idle ?? TimeSpan.FromSeconds(10);
    private readonly Lock _lock = new();
    private readonly Queue<TouchedRange> _waiting = new();
    private readonly SemaphoreSlim _arrived = new(0);
    private bool _isRunning;

    // Not smaller than what can be a page, or a transparent huge one.
    private nuint Part => nuint.Max(LargestPart, nuint.Max(memory.PageSize, memory.CommitUnit));

    /// <summary>
    /// Commits a range and touches every page; if the provider's commit takes the pages, they come from the right node, too. If
    /// the thread cannot be started or pinned, the memory is still committed. When this returns, the range is no longer
    /// written to, even if the calling thread was interrupted.
    /// </summary>
    /// <param name="address">The start.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="place">Where to touch it.</param>
    /// <param name="pinned">Whether the thread was started and pinned.</param>
    /// <returns>The outcome of the commit; where it is a failure, nothing of the range is committed.</returns>
    public NumaResult Commit(nint address, nuint size, TouchPlace place, out NumaResult pinned)
    {
        var range = new TouchedRange(address, size, place);
        if (!TryEnqueue(range, out pinned))
        {
            // Pages come from the node of the thread that uses them first.
            return memory.Commit(address, size);
        }

        range.AwaitEnd();
        pinned = range.Pinned;
        range.Failure?.Throw();
        return range.Result;
    }

    private bool TryEnqueue(TouchedRange range, out NumaResult started)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            if (!TryRun(out started))
            {
                return false;
            }

            _waiting.Enqueue(range);
        }

        // From here on the range belongs to the thread: an interruption must not reach the caller before its end.
        Interruption.Outlast(() => _arrived.Release());
        return true;
    }

    private bool TryRun(out NumaResult started)
    {
        started = NumaResult.Success;
        if (_isRunning)
        {
            return true;
        }

        try
        {
            var thread = new Thread(Run, StackSizeBytes) { IsBackground = true, Name = "numa-first-touch" };
            (start ?? SystemThread.Start)(thread);
        }
        catch (OutOfMemoryException exception)
        {
            started = Failed(exception);
            return false;
        }

        _isRunning = true;
        return true;
    }

    private void Run()
    {
        TouchPlace? place = null;
        var pinned = NumaResult.Success;
        while (TryTake(out var range))
        {
            // Pinned again for each range as long as it is refused, and whenever the plan has changed: the kernel rewrites masks
            // then.
            if (!ReferenceEquals(place, range.Place) || (!pinned.Succeeded && range.IsNew))
            {
                place = range.Place;
                pinned = Pin(place.Cpus);
            }

            range.Pinned = pinned;
            if (!TouchNextPart(range))
            {
                lock (_lock)
                {
                    _waiting.Enqueue(range);
                }

                _arrived.Release();
            }
        }
    }

    private bool TryTake([NotNullWhen(true)] out TouchedRange? range)
    {
        while (true)
        {
            var hasArrived = _arrived.Wait(_idle);
            lock (_lock)
            {
                if (_waiting.TryDequeue(out range))
                {
                    return true;
                }

                if (!hasArrived)
                {
                    _isRunning = false;
                    return false;
                }
            }
        }
    }

    /// <summary>Does a part of the range.</summary>
    /// <returns>Whether it was the last.</returns>
    private bool TouchNextPart(TouchedRange range)
    {
        try
        {
            var (address, size) = range.NextPart(Part);
            var result = memory.Commit(address, size);
            if (result.Succeeded)
            {
                FirstTouch.TouchHere(address, size, memory.PageSize);
                range.OnTouched(size);
                if (!range.IsWhole)
                {
                    return false;
                }
            }
            else
            {
                Undo(range);
            }

            range.End(result);
        }
        catch (Exception exception)
        {
            // Unhandled it would end the process; the caller gets it instead.
            Undo(range);
            range.End(exception);
        }

        return true;
    }

    private void Undo(TouchedRange range)
    {
        if (range.IsNew)
        {
            return;
        }

        try
        {
            memory.Advise(range.Address, range.TouchedBytes, NumaMemoryAdvice.Discard);
        }
        catch (Exception exception)
        {
            range.End(exception);
        }
    }

    private NumaResult Pin(CpuSet cpus)
    {
        try
        {
            return affinity.SetThreadCpus(cpus);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    private static NumaResult Failed(Exception exception) => new(NumaFailure.Other, 0, exception.GetType().Name);
}

/// <summary>
/// A range on its way through <see cref="FirstToucher"/>. It belongs to the thread until it has ended; then the outcome belongs
/// to the waiter.
/// </summary>
internal sealed class TouchedRange(nint address, nuint size, TouchPlace place)
{
    private readonly ManualResetEventSlim _hasEnded = new();

    public nint Address => address;

    public TouchPlace Place => place;

    public nuint TouchedBytes { get; private set; }

    public bool IsNew => TouchedBytes == 0;

    public bool IsWhole => TouchedBytes == size;

    public NumaResult Pinned { get; set; }

    public NumaResult Result { get; private set; }

    /// <summary>What a provider threw.</summary>
    public ExceptionDispatchInfo? Failure { get; private set; }

    public (nint Address, nuint Size) NextPart(nuint most) =>
        (address + (nint)TouchedBytes, nuint.Min(most, size - TouchedBytes));

    public void OnTouched(nuint bytes) => TouchedBytes += bytes;

    public void End(NumaResult result)
    {
        Result = result;
        _hasEnded.Set();
    }

    public void End(Exception exception)
    {
        Failure ??= ExceptionDispatchInfo.Capture(exception);
        _hasEnded.Set();
    }

    /// <summary>Waits even if the calling thread is interrupted: the range must not be reused while it is written to.</summary>
    public void AwaitEnd() => Interruption.Outlast(_hasEnded.Wait);
}

/// <summary>Takes the pages of a range on the node of the calling thread.</summary>
internal static class FirstTouch
{
    /// <summary>Writes 0 to every page: a read would map the shared zero page, which has no node.</summary>
    public static unsafe void TouchHere(nint address, nuint size, nuint pageSize)
    {
        for (nuint offset = 0; offset < size; offset += pageSize)
        {
            Volatile.Write(ref *(byte*)(address + (nint)offset), 0);
        }
    }
}

/// <summary>
/// The CPUs to touch memory from. A new object for each plan, even for the same CPUs: threads then pin themselves again.
/// </summary>
internal sealed class TouchPlace(CpuSet cpus)
{
    public CpuSet Cpus => cpus;
}
