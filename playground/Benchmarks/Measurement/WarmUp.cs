using System.Diagnostics;
using System.Runtime;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Runs the measured code until the JIT compiler compiles nothing new. Tiered compilation counts 30 calls of a method, from
/// 100 ms after the last new method on, and compiles it again on another thread, and what that calls after it. Warm is when
/// several passes made nothing new; on a busy machine the compiler was seen to need a second.
/// </summary>
internal static class WarmUp
{
    private const int CountedCalls = 40;
    private const int QuietPasses = 4;
    private const int MaxPasses = 16;
    private static readonly TimeSpan s_compilerPause = TimeSpan.FromMilliseconds(120);

    /// <param name="sides">A short run of each.</param>
    /// <param name="limit">What a side may take of a pass: what takes longer makes its calls within.</param>
    /// <param name="cancellation">Ends it.</param>
    public static async Task RunAsync(IReadOnlyCollection<Action> sides, TimeSpan limit, CancellationToken cancellation)
    {
        var quiet = 0;
        for (var pass = 0; quiet < QuietPasses && pass < MaxPasses; pass++)
        {
            var compiled = JitInfo.GetCompiledMethodCount();
            foreach (var side in sides)
            {
                CallOften(side, limit);
            }

            await Task.Delay(s_compilerPause, cancellation);
            quiet = JitInfo.GetCompiledMethodCount() == compiled ? quiet + 1 : 0;
        }
    }

    private static void CallOften(Action side, TimeSpan limit)
    {
        var start = Stopwatch.GetTimestamp();
        for (var call = 0; call < CountedCalls && Stopwatch.GetElapsedTime(start) < limit; call++)
        {
            side();
        }
    }
}
