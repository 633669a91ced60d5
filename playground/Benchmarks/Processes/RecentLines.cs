namespace NumaSharp.Playground.Benchmarks.Processes;

/// <summary>The last lines of a stream, passed from the reader's thread to any other.</summary>
internal sealed class RecentLines(int capacity)
{
    private readonly Queue<string> _lines = new();

    public void Add(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_lines)
        {
            if (_lines.Count == capacity)
            {
                _lines.Dequeue();
            }

            _lines.Enqueue(line);
        }
    }

    public IReadOnlyList<string> ToList()
    {
        lock (_lines)
        {
            return [.. _lines];
        }
    }
}
