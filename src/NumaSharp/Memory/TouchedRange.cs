using System.Runtime.ExceptionServices;

namespace NumaSharp.Core.Memory;

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
