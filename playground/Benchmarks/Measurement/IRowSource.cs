using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Rows that are measured together.</summary>
internal interface IRowSource
{
    /// <summary>Names and targets are known before anything runs.</summary>
    IReadOnlyList<(string Name, RowTarget Target)> Rows { get; }

    /// <summary>What must be installed.</summary>
    IEnumerable<PeerLibrary> Libraries { get; }

    /// <summary>What this machine lacks for these rows, or null.</summary>
    string? Unavailable { get; }

    /// <summary>The same without the rows that are not wanted; null when none is left.</summary>
    IRowSource? Where(Func<string, bool> isWanted);

    /// <summary>The peers against themselves, or null where that means nothing.</summary>
    IRowSource? AgainstItself() => null;

    Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation);
}
