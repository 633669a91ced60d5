using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>The next so many calls of a kind are refused. Thread-safe.</summary>
internal sealed class ModelRefusals(NumaResult answer)
{
    private int _left;
    private int _refused;

    /// <summary>How many have been refused so far.</summary>
    public int Refused => Volatile.Read(ref _refused);

    public void Add(int calls) => Volatile.Write(ref _left, calls);

    public NumaResult Meet()
    {
        if (Volatile.Read(ref _left) <= 0 || Interlocked.Decrement(ref _left) < 0)
        {
            return NumaResult.Success;
        }

        Interlocked.Increment(ref _refused);
        return answer;
    }
}
