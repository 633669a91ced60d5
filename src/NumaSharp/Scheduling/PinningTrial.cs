using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// Finds out what pinning gains or costs on this machine, with what runs there now: as many threads as the plan has workers read
/// memory of their own, in turns pinned as planned and on any CPU of the plan. Everything else on these waits for CPUs meanwhile.
/// </summary>
/// <param name="plan">The plan whose workers are tried.</param>
/// <param name="affinity">Pins the threads.</param>
internal sealed class PinningTrial(NumaPlan plan, INumaAffinityProvider affinity)
{
    // Four turns each, in an order in which a steady change of the machine's speed favours neither.
    private static readonly bool[] s_isPinned = [true, false, false, true, true, false, false, true];

    // More than a core's own caches hold, and little enough for a thousand threads.
    private const int MaxBytesPerThread = 4 << 20;
    private const int MinBytesPerThread = 64 << 10;

    // Of the memory that the process may use.
    private const int MostOfMemory = 8;

    private const int StepsAtOnce = 64 * PointerChase.Unrolled;
    private const int LookMilliseconds = 20;

    private readonly CpuSet[] _places = [.. plan.Nodes.SelectMany(static node => node.ThreadCpus)];
    private readonly Stopwatch _waiting = new();
    private readonly CpuSet _everywhere = plan.BalancedOf(plan.Cpus);

    /// <summary>How long a turn takes. The default makes it 200 ms each way.</summary>
    public TimeSpan Turn { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How long it waits for threads that get no CPU, in all; and once more at the end.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Runs the trial; blocks the calling thread, whose mask does not change.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public PinningTrialResult Run(CancellationToken cancellation = default)
    {
        cancellation.ThrowIfCancellationRequested();
        if (Array.TrueForAll(_places, place => place == _everywhere))
        {
            return PinningTrialResult.Refused($"with these settings threads may use all CPUs of the plan ({_everywhere}) anyway");
        }

        var course = new Course(_places.Length);
        var threads = new List<Thread>();
        try
        {
            StartAll(course, threads);
            for (var turn = 0; turn < s_isPinned.Length && Await(course, turn, cancellation); turn++)
            {
                course.Begin(turn);
                cancellation.WaitHandle.WaitOne(Turn);
                course.End(turn);
            }

            return course.Refusal is null && Await(course, s_isPinned.Length, cancellation)
                ? PinningTrialResult.Of(_places.Length, Pairs(course))
                : PinningTrialResult.Refused(course.Refusal!);
        }
        finally
        {
            // One that gets no CPU cannot leave: it does as soon as it gets one.
            course.Stop();
            var since = Stopwatch.GetTimestamp();
            foreach (var thread in threads)
            {
                var left = Patience - Stopwatch.GetElapsedTime(since);
                thread.Join(left > TimeSpan.Zero ? left : TimeSpan.Zero);
            }
        }
    }

    // Each turn with the one beside it in time that is the other way.
    private static IEnumerable<(double Pinned, double Floating)> Pairs(Course course) =>
        s_isPinned.Index().Chunk(2).Select(pair => pair[0].Item
            ? (course.RateOf(pair[0].Index), course.RateOf(pair[1].Index))
            : (course.RateOf(pair[1].Index), course.RateOf(pair[0].Index)));

    private void StartAll(Course course, List<Thread> threads)
    {
        try
        {
            using var reserved = ReservedThreads.Start();
            foreach (var (index, cpus) in _places.Index())
            {
                var thread = new Thread(() => Work(cpus, course, index)) { IsBackground = true, Name = "numa-trial" };
                SystemThread.Start(thread);
                threads.Add(thread);
            }

            course.Go();
        }
        catch (OutOfMemoryException exception)
        {
            course.Refuse($"the system has no more threads ({exception.Message})");
        }
    }

    private bool Await(Course course, int turn, CancellationToken cancellation)
    {
        try
        {
            _waiting.Start();
            while (course.Refusal is null)
            {
                if (course.IsReady(turn, LookMilliseconds, cancellation))
                {
                    return true;
                }

                if (_waiting.Elapsed > Patience)
                {
                    course.Refuse("not all threads got a CPU: something with a higher priority runs on those of the plan");
                }
            }

            return false;
        }
        finally
        {
            _waiting.Stop();
        }
    }

    private unsafe void Work(CpuSet cpus, Course course, int index)
    {
        void* memory = null;
        try
        {
            // Pinned while it touches its memory first, as the plan's workers are. Not before all threads are there: where the
            // system has no more, they leave at once.
            if (!course.WaitUntilAllAreThere() || !TryPin(cpus, course))
            {
                return;
            }

            var share = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / MostOfMemory / _places.Length;
            var size = (nuint)Math.Clamp(share, MinBytesPerThread, MaxBytesPerThread);
            memory = NativeMemory.AlignedAlloc(size, (nuint)Environment.SystemPageSize);
            NativeMemory.Clear(memory, size);
            PointerChase.Link((nint)memory, size);
            var position = (nint)memory;
            for (var turn = 0; turn < s_isPinned.Length; turn++)
            {
                if (!TryPin(s_isPinned[turn] ? cpus : _everywhere, course) || !course.WaitFor(turn))
                {
                    return;
                }

                // At least once: one that has got no CPU in a turn has done next to nothing, and not nothing.
                var steps = 0L;
                do
                {
                    position = PointerChase.Follow(position, StepsAtOnce);
                    steps += StepsAtOnce;
                }
                while (course.Runs(turn));

                course.Note(turn, index, steps);
            }

            course.WaitFor(s_isPinned.Length);
        }
        catch (OutOfMemoryException exception)
        {
            course.Refuse($"the system has no more memory ({exception.Message})");
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }

    private bool TryPin(CpuSet cpus, Course course)
    {
        var result = affinity.TrySetThreadCpus(cpus);
        if (!result.Succeeded)
        {
            course.Refuse($"threads cannot be pinned to CPUs {cpus} ({result.ErrorName})");
        }

        return result.Succeeded;
    }

    // What the threads share. Never disposed of: a thread may be left behind.
    private sealed class Course(int threads)
    {
        // One for each turn, and one for the end.
        private static readonly IEnumerable<int> s_gates = Enumerable.Range(0, s_isPinned.Length + 1);

        private readonly long[][] _steps = [.. s_isPinned.Select(_ => new long[threads])];
        private readonly double[] _seconds = new double[s_isPinned.Length];
        private readonly CountdownEvent[] _ready = [.. s_gates.Select(_ => new CountdownEvent(threads))];
        private readonly ManualResetEventSlim[] _begun = [.. s_gates.Select(static _ => new ManualResetEventSlim())];

        private readonly ManualResetEventSlim _allAreThere = new();
        private string? _refusal;
        private bool _isOver;
        private int _ended;
        private long _began;

        public string? Refusal => Volatile.Read(ref _refusal);

        public void Refuse(string reason) => Interlocked.CompareExchange(ref _refusal, reason, null);

        public void Go() => _allAreThere.Set();

        public bool IsReady(int turn, int milliseconds, CancellationToken cancellation) =>
            _ready[turn].Wait(milliseconds, cancellation);

        public void Begin(int turn)
        {
            _began = Stopwatch.GetTimestamp();
            _begun[turn].Set();
        }

        public void End(int turn)
        {
            Volatile.Write(ref _ended, turn + 1);
            _seconds[turn] = Stopwatch.GetElapsedTime(_began).TotalSeconds;
        }

        public void Stop()
        {
            Volatile.Write(ref _isOver, true);
            Volatile.Write(ref _ended, s_isPinned.Length);
            _allAreThere.Set();
            Array.ForEach(_begun, static gate => gate.Set());
        }

        public bool WaitUntilAllAreThere()
        {
            _allAreThere.Wait();
            return !Volatile.Read(ref _isOver);
        }

        public bool WaitFor(int turn)
        {
            _ready[turn].Signal();
            _begun[turn].Wait();
            return !Volatile.Read(ref _isOver);
        }

        public bool Runs(int turn) => Volatile.Read(ref _ended) <= turn;

        public void Note(int turn, int thread, long steps) => _steps[turn][thread] = steps;

        // Of all threads, by the turn's time: one that waits for a CPU meanwhile does less.
        public double RateOf(int turn) => _steps[turn].Sum() / _seconds[turn];
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

    /// <summary>Every pair of turns says that pinned threads did as much.</summary>
    public bool MakesNoDifference => Reason is null && Least >= 1 - Noise && Most <= 1 + Noise;

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
            + (Pays ? "pinning pays" : Costs ? "pinning costs"
                : MakesNoDifference ? "pinning makes no difference" : "the turns disagree, so this says nothing");
}
