namespace NumaSharp.Tool.Tests.Run;

/// <summary>A reader of our output that takes longer than we wait for a process that says nothing.</summary>
internal sealed class SlowStream : MemoryStream
{
    private readonly ManualResetEventSlim _never = new();
    private bool _hasWaited;

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (!_hasWaited)
        {
            _hasWaited = true;
            _never.Wait(TimeSpan.FromSeconds(3));
        }

        base.Write(buffer);
    }

    protected override void Dispose(bool disposing)
    {
        _never.Dispose();
        base.Dispose(disposing);
    }
}
