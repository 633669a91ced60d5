namespace NumaSharp.GuestProbe.Locality;

/// <summary>Counts pages. Thread-safe.</summary>
internal sealed class PageTally
{
    private long _right;
    private long _all;

    public LocalityShare Share => new(Interlocked.Read(ref _right), Interlocked.Read(ref _all));

    public void Count(bool isOnTheRightNode)
    {
        Interlocked.Increment(ref _all);
        if (isOnTheRightNode)
        {
            Interlocked.Increment(ref _right);
        }
    }
}
