namespace NumaSharp.Core.Linux;

/// <summary>The problems of a reading: one line each, and not more than a person would read.</summary>
internal sealed class TopologyWarnings
{
    private const int MaxLines = 32;

    private readonly List<string> _lines = [];
    private int _dropped;

    public void Add(string line)
    {
        if (_lines.Contains(line, StringComparer.Ordinal))
        {
            // Two readers have read the same file.
            return;
        }

        if (_lines.Count < MaxLines)
        {
            _lines.Add(line);
        }
        else
        {
            _dropped++;
        }
    }

    /// <summary>For a file that exists and cannot be used; a missing one is not worth a warning.</summary>
    public void AddUnlessMissing(FileReading reading, string instead)
    {
        if (!reading.IsMissing)
        {
            Add($"{reading.Describe()}; {instead}.");
        }
    }

    public IEnumerable<string> ToLines() => _dropped == 0 ? _lines : [.. _lines, $"{_dropped} more of the same kind."];
}
