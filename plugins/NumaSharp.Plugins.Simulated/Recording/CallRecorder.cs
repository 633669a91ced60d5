using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Recording;

/// <summary>The last calls, and the number of calls per operation. Thread-safe.</summary>
internal sealed class CallRecorder(int capacity)
{
    private readonly Lock _lock = new();
    private readonly Queue<SimulatedCall> _calls = [];
    private readonly long[] _counts = new long[Enum.GetValues<SimulatedOperation>().Length];
    private long _number;

    public IReadOnlyList<SimulatedCall> Calls
    {
        get
        {
            lock (_lock)
            {
                return [.. _calls];
            }
        }
    }

    public long CountOf(SimulatedOperation operation)
    {
        lock (_lock)
        {
            return _counts[(int)operation];
        }
    }

    public NumaResult Record(
        SimulatedOperation operation,
        NumaResult result,
        NumaNodeId? nodeId = null,
        long sizeBytes = 0,
        CpuSet? cpus = null,
        NumaPlacement? placement = null)
    {
        var thread = Thread.CurrentThread;
        lock (_lock)
        {
            _counts[(int)operation]++;
            _number++;
            if (capacity == 0)
            {
                return result;
            }

            if (_calls.Count == capacity)
            {
                _calls.Dequeue();
            }

            _calls.Enqueue(new SimulatedCall(
                _number, operation, thread.ManagedThreadId, thread.Name, nodeId, sizeBytes, cpus ?? CpuSet.Empty, result)
            {
                Placement = placement,
            });
        }

        return result;
    }

    public void Clear()
    {
        lock (_lock)
        {
            _calls.Clear();
            Array.Clear(_counts);
        }
    }
}
