using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// Finds out what pinning gains or costs on this machine, with what runs there now: as many threads as the plan has workers read
/// memory of their own, in turns pinned as planned and on any CPU that the process may use. Everything else on the machine waits
/// for CPUs meanwhile.
/// </summary>
/// <param name="plan">The plan whose workers are tried.</param>
/// <param name="affinity">Pins the threads.</param>
internal sealed class PinningTrial(NumaPlan plan, INumaAffinityProvider affinity)
{
    // Four turns each, in an order in which a steady change of the machine's speed favours neither.
    private static readonly bool[] s_isPinned = [true, false, false, true, true, false, false, true];

    // More than a core's own caches hold, so that what is far shows, and little enough for a thousand threads.
    private const int MaxBytesPerThread = 4 << 20;
    private const int MinBytesPerThread = 64 << 10;

    // Of the memory that the process may use.
    private const int MostOfMemory = 8;

    private const int StepsAtOnce = 64 * PointerChase.Unrolled;

    private readonly CpuSet[] _places = [.. plan.Nodes.SelectMany(static node => node.ThreadCpus)];
    private string? _refusal;
    private bool _isOver;

    /// <summary>How long a turn takes. The default makes it 200 ms each way.</summary>
    public TimeSpan Turn { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>Runs the trial; blocks the calling thread, whose mask does not change.</summary>
    /// <exception cref="OperationCanceledException">Cancelled: it ends with the turn that runs.</exception>
    public PinningTrialResult Run(CancellationToken cancellation = default)
    {
        var rates = s_isPinned.Select(_ => new double[_places.Length]).ToArray();
        using (var barrier = new Barrier(_places.Length, _ => _isOver |= HasToEnd(cancellation)))
        {
            var threads = new List<Thread>();
            try
            {
                foreach (var (index, cpus) in _places.Index())
                {
                    var thread = new Thread(() => Work(cpus, rates, index, barrier)) { IsBackground = true, Name = "numa-trial" };
                    SystemThread.Start(thread);
                    threads.Add(thread);
                }
            }
            catch (OutOfMemoryException exception)
            {
                Refuse($"the system has no more threads ({exception.Message})");
                barrier.RemoveParticipants(_places.Length - threads.Count);
            }

            threads.ForEach(static thread => thread.Join());
        }

        cancellation.ThrowIfCancellationRequested();
        return _refusal is { } reason ? PinningTrialResult.Refused(reason) : PinningTrialResult.Of(_places.Length, Sums(rates));
    }

    // Each turn with the one beside it in time that is the other way.
    private static IEnumerable<(double Pinned, double Floating)> Sums(double[][] rates) =>
        s_isPinned.Index().Chunk(2).Select(pair => pair[0].Item
            ? (rates[pair[0].Index].Sum(), rates[pair[1].Index].Sum())
            : (rates[pair[1].Index].Sum(), rates[pair[0].Index].Sum()));

    private bool HasToEnd(CancellationToken cancellation) =>
        cancellation.IsCancellationRequested || Volatile.Read(ref _refusal) is not null;

    private void Refuse(string reason) => Interlocked.CompareExchange(ref _refusal, reason, null);

    private unsafe void Work(CpuSet cpus, double[][] rates, int index, Barrier barrier)
    {
        void* memory = null;
        try
        {
            // Pinned while it touches its memory first, as the plan's workers are.
            Pin(cpus);
            var share = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / MostOfMemory / _places.Length;
            var size = (nuint)Math.Clamp(share, MinBytesPerThread, MaxBytesPerThread);
            memory = NativeMemory.AlignedAlloc(size, (nuint)Environment.SystemPageSize);
            NativeMemory.Clear(memory, size);
            PointerChase.Link((nint)memory, size);
            var position = (nint)memory;
            for (var turn = 0; turn < s_isPinned.Length; turn++)
            {
                Pin(s_isPinned[turn] ? cpus : plan.Topology.AllowedCpus);
                barrier.SignalAndWait();
                if (Volatile.Read(ref _isOver))
                {
                    return;
                }

                rates[turn][index] = Follow(ref position);
            }
        }
        catch (OutOfMemoryException exception)
        {
            Refuse($"the system has no more memory ({exception.Message})");
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
            barrier.RemoveParticipant();
        }
    }

    private void Pin(CpuSet cpus)
    {
        var result = affinity.TrySetThreadCpus(cpus);
        if (!result.Succeeded)
        {
            Refuse($"threads cannot be pinned to CPUs {cpus} ({result.ErrorName})");
        }
    }

    // Reads per second. Time in which the thread waits for a CPU counts, too.
    private double Follow(ref nint position)
    {
        var began = Stopwatch.GetTimestamp();
        var steps = 0L;
        TimeSpan elapsed;
        do
        {
            position = PointerChase.Follow(position, StepsAtOnce);
            steps += StepsAtOnce;
            elapsed = Stopwatch.GetElapsedTime(began);
        }
        while (elapsed < Turn);
        return steps / elapsed.TotalSeconds;
    }
}

/// <summary>What a trial has found.</summary>
/// <param name="Threads">How many threads worked at a time.</param>
/// <param name="Gain">How much pinned threads did of what floating ones did; 1: the same.</param>
/// <param name="Least">The same of the pair of turns in which it was least.</param>
/// <param name="Most">The same of the pair of turns in which it was most.</param>
/// <param name="Reason">Why there was no trial; otherwise <see langword="null"/>.</param>
internal sealed record PinningTrialResult(int Threads, double Gain, double Least, double Most, string? Reason)
{
    /// <summary>What to do where it <see cref="Costs"/>.</summary>
    public const string Remedy =
        "Something else needs the same CPUs: leave them to it (Numa:Affinity:ReservedCpus), give threads all CPUs of their node "
        + "(Numa:Affinity:Granularity=Node), or turn placement off (Numa:Enabled=false).";

    // What two turns of the same kind differ by on a machine with little else to do.
    private const double Noise = 0.05;

    /// <summary>Every pair of turns says that pinned threads did more.</summary>
    public bool Pays => Reason is null && Least > 1 + Noise;

    /// <summary>Every pair of turns says that pinned threads did less.</summary>
    public bool Costs => Reason is null && Most < 1 - Noise;

    public static PinningTrialResult Of(int threads, IEnumerable<(double Pinned, double Floating)> pairs)
    {
        (double Pinned, double Floating)[] all = [.. pairs];
        double[] gains = [.. all.Select(static pair => pair.Pinned / pair.Floating)];
        return new(
            threads,
            all.Sum(static pair => pair.Pinned) / all.Sum(static pair => pair.Floating),
            gains.Min(),
            gains.Max(),
            Reason: null);
    }

    public static PinningTrialResult Refused(string reason) => new(0, 0, 0, 0, reason);

    public override string ToString() => Reason is not null
        ? $"not measured: {Reason}"
        : string.Create(
            CultureInfo.InvariantCulture,
            $"pinned threads did {Gain:0.00} times what floating ones did ({Least:0.00} to {Most:0.00}; {Threads} threads): ")
            + (Pays ? "pinning pays" : Costs ? "pinning costs" : "pinning makes no difference");
}
