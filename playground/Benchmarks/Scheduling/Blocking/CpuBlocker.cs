using NumaSharp.Playground.Benchmarks.Scheduling.Loads;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>An item that computes without end.</summary>
internal sealed class CpuBlocker : IBlocker
{
    private volatile bool _isReleased;

    public void Block()
    {
        while (!_isReleased)
        {
            Busy.Work(1000);
        }
    }

    public void Release() => _isReleased = true;
}
