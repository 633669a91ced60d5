using System.Globalization;

namespace NumaSharp.EventLoop;

/// <content>What others may ask about a loop at any time. It costs the loop nothing, and nothing waits for the answer.</content>
public sealed partial class NumaEventLoop
{
    private long _stuckTicks;

    /// <summary>
    /// How long one callback has kept the loop while no other thread could take it over, as of the last second: zero while the
    /// loop goes on, 5 seconds or more otherwise.
    /// </summary>
    public TimeSpan StuckFor => new(Volatile.Read(ref _stuckTicks));

    /// <summary>Why nobody goes on if the holder does not; half a sentence. May be old at once.</summary>
    internal string Relief => _watchdog is null ? "no other thread may take the loop over"
        : !_spares.IsEmpty ? "another one would wait for the same CPU"
        : ThreadCount >= _options.MaxThreadsPerLoop ? string.Create(
            CultureInfo.InvariantCulture,
            $"no callback of the loop's other threads returns either (it may have {_options.MaxThreadsPerLoop} threads)")
        : "no other one could be started";

    /// <summary>Whether the watchdog looks at the loop, sooner or later; false for one that has come to rest.</summary>
    internal bool IsWatched => _alarm is { IsOn: true };

    internal void SetStuckFor(TimeSpan duration) => Volatile.Write(ref _stuckTicks, duration.Ticks);

    /// <summary>Says who holds the loop, and with which callback: an answer only while the word stays as it was.</summary>
    /// <param name="word">The word as the caller has read it before.</param>
    /// <param name="running">The handler whose callback runs; <see langword="null"/> between callbacks.</param>
    /// <param name="threadId">The holder, as the kernel numbers it; 0 while nobody is named.</param>
    internal bool TryLookAt(long word, out EventLoopHandler? running, out int threadId)
    {
        running = LoopBaton.IsInCallback(word) ? Volatile.Read(ref _running) : null;
        threadId = Volatile.Read(ref _holder)?.KernelId ?? 0;
        return BatonWord == word;
    }
}
