namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>One side of a contest. The same object may be in several rows of a contest; it is measured once per turn.</summary>
/// <param name="name">Asked for when a row is made: a library's version is known when it is loaded.</param>
/// <param name="open">Starts the load, which ends with the contest.</param>
internal sealed class Contestant(Func<string> name, Func<ILoad> open)
{
    public string Name => name();

    /// <summary>Operations come in multiples of this.</summary>
    public int Step { get; init; } = 1;

    /// <summary>What must be installed.</summary>
    public PeerLibrary? Library { get; init; }

    /// <summary>Proves before the contest that this side does the work right.</summary>
    public Action? Verify { get; init; }

    public ILoad Open() => open();

    /// <summary>The same work once more, for a contest of a side against itself.</summary>
    public Contestant Again() => new(name, open) { Step = Step, Library = Library, Verify = Verify };
}
