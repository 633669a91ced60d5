using System.Runtime;

namespace NumaSharp.Tool.Bench;

/// <summary>
/// Two sides that take turns, on the calling thread. The runs of a round meet the same neighbours on the machine, so each round
/// has a ratio of its own.
/// </summary>
internal sealed class BenchContest(BenchLengths lengths, CancellationToken cancellation)
{
    // Of a turn; the fastest counts: an interrupt, or a neighbour of a virtual machine, is in one of them.
    private const int Runs = 5;

    // Tiered compilation counts 30 calls of a method.
    private const int CountedCalls = 40;
    private const int QuietPasses = 4;
    private const int MaxOperations = int.MaxValue / 4;

    // It compiles 100 ms after the last new method.
    private static readonly TimeSpan s_compilerPause = TimeSpan.FromMilliseconds(120);

    // Shorter runs do not show how many operations a whole one takes.
    private static readonly TimeSpan s_telling = TimeSpan.FromMilliseconds(2);

    /// <summary>A figure of each side in each round: A B, B A, A B...</summary>
    public BenchRound[] Alternate(Func<double> ours, Func<double> theirs)
    {
        var rounds = new BenchRound[lengths.Rounds];
        for (var i = 0; i < rounds.Length; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            if (i % 2 == 0)
            {
                var our = ours();
                rounds[i] = new BenchRound(our, theirs());
            }
            else
            {
                var their = theirs();
                rounds[i] = new BenchRound(ours(), their);
            }
        }

        return rounds;
    }

    /// <summary>Warms both sides up, and compares their cost per operation.</summary>
    public BenchRound[] Compare(BenchSide ours, BenchSide theirs)
    {
        WarmUp(ours, theirs);
        var (our, their) = (OperationsOf(ours), OperationsOf(theirs));
        return Alternate(() => Fastest(ours, our) / our, () => Fastest(theirs, their) / their);
    }

    // Until several passes compile nothing new.
    private void WarmUp(params ReadOnlySpan<BenchSide> sides)
    {
        var quiet = 0;
        for (var pass = 0; quiet < QuietPasses && pass < lengths.WarmUpPasses; pass++)
        {
            var compiled = JitInfo.GetCompiledMethodCount();
            foreach (var side in sides)
            {
                for (var call = 0; call < CountedCalls; call++)
                {
                    _ = side.Run(side.Step);
                }
            }

            _ = cancellation.WaitHandle.WaitOne(s_compilerPause);
            cancellation.ThrowIfCancellationRequested();
            quiet = JitInfo.GetCompiledMethodCount() == compiled ? quiet + 1 : 0;
        }
    }

    private int OperationsOf(BenchSide side)
    {
        for (var operations = side.Step; ; operations *= 2)
        {
            var cost = Fastest(side, operations);
            if (cost >= s_telling.TotalNanoseconds || operations > MaxOperations / 2)
            {
                var steps = operations / side.Step * (lengths.Run.TotalNanoseconds / Runs / cost);
                return (int)Math.Clamp(steps, 1, MaxOperations / side.Step) * side.Step;
            }
        }
    }

    private static double Fastest(BenchSide side, int operations)
    {
        var fastest = double.MaxValue;
        for (var run = 0; run < Runs; run++)
        {
            fastest = Math.Min(fastest, side.Run(operations));
        }

        return fastest;
    }
}

/// <summary>One side.</summary>
/// <param name="Run">Does so many operations, and returns the nanoseconds of CPU time that they took.</param>
/// <param name="Step">Operations come in multiples of it.</param>
internal sealed record BenchSide(Func<int, double> Run, int Step = 1);

/// <summary>The figures of a round; less is better.</summary>
internal readonly record struct BenchRound(double Ours, double Theirs)
{
    public double Ratio => Ours / Theirs;
}

/// <summary>How long it takes.</summary>
internal sealed record BenchLengths
{
    public static BenchLengths Full { get; } = new();

    public static BenchLengths Quick { get; } = new()
    {
        Rounds = 5,
        Run = TimeSpan.FromMilliseconds(60),
        HttpRun = TimeSpan.FromMilliseconds(400),
        HttpWarmUp = TimeSpan.FromSeconds(2),
    };

    /// <summary>Odd, so that one of them is the middle one.</summary>
    public int Rounds { get; init; } = 7;

    /// <summary>Of each side in a round.</summary>
    public TimeSpan Run { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>At most.</summary>
    public int WarmUpPasses { get; init; } = 16;

    /// <summary>Of each server in a round.</summary>
    public TimeSpan HttpRun { get; init; } = TimeSpan.FromSeconds(1.5);

    public TimeSpan HttpWarmUp { get; init; } = TimeSpan.FromSeconds(6);

    /// <summary>The buffer on each node; <see langword="null"/> for that of the matrix.</summary>
    public long? MemoryBytes { get; init; }
}
