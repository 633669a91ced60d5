namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>Thread.Sleep, in portions: it cannot be interrupted.</summary>
internal sealed class SleepBlocker : IBlocker
{
    // Longer than any scheduler should need, and short enough for many rounds.
    private const int Milliseconds = 100;

    private volatile bool _isReleased;

    public void Block()
    {
        while (!_isReleased)
        {
#pragma warning disable RS0030 // It is what is measured.
            Thread.Sleep(Milliseconds);
#pragma warning restore RS0030
        }
    }

    public void Release() => _isReleased = true;
}
