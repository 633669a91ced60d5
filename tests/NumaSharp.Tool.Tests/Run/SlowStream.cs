namespace NumaSharp.Tool.Tests.Run;

/// <summary>A reader of our output that takes nothing until it is released.</summary>
internal sealed class SlowStream : MemoryStream
{
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ManualResetEventSlim _release = new();

    /// <summary>Ends when the first write waits.</summary>
    public Task Entered => _entered.Task;

    public void Release() => _release.Set();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        _entered.TrySetResult();
        Wait.For(_release);
        base.Write(buffer);
    }

    protected override void Dispose(bool disposing)
    {
        _release.Dispose();
        base.Dispose(disposing);
    }
}
