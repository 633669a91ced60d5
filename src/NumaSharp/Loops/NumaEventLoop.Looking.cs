using System.Globalization;

namespace NumaSharp.EventLoop;

/// <content>State of a loop that any thread may read at any time. It costs the loop nothing, and nothing waits for it.</content>
public sealed partial class NumaEventLoop
{
    private long _stuckTicks;

    /// <summary>
    /// How long one callback has blocked the loop while no other thread could take it over, as of the last second: zero while the
    /// loop runs, 5 seconds or more otherwise.
    /// </summary>
    public TimeSpan StuckFor => new(Volatile.Read(ref _stuckTicks));

    /// <summary>Why no other thread takes over if the holder does not return; half a sentence. May be stale at once.</summary>
    internal string Relief => _watchdog is null || !MayLoseCallback ? "no other thread may take over the loop"
        : ThreadCount >= _options.MaxThreadsPerLoop ? string.Create(
            CultureInfo.InvariantCulture,
            $"no callback of the loop's other threads returns either (it may have {_options.MaxThreadsPerLoop} threads)")
        : _threads.HasSpare ? "another thread would wait for the same CPU"
        : "no other thread could be started";

    /// <summary>
    /// Whether the callback that runs may lose the loop. Valid only for the baton word that was read before and has not changed.
    /// </summary>
    internal bool MayLoseCallback => Volatile.Read(ref _running) is not { AllowsHandOver: false };

    /// <summary>Whether the watchdog will check the loop again; false for an idle one.</summary>
    internal bool IsWatched => _alarm is { IsOn: true };

    internal void SetStuckFor(TimeSpan duration) => Volatile.Write(ref _stuckTicks, duration.Ticks);

    /// <summary>Reads which thread holds the loop, and in which callback: valid only while the word is unchanged.</summary>
    /// <param name="word">The baton word as the caller read it before.</param>
    /// <param name="running">The handler of the running callback; <see langword="null"/> between callbacks.</param>
    /// <param name="threadId">The holder's kernel thread id; 0 while there is no holder.</param>
    internal bool TryLookAt(long word, out EventLoopHandler? running, out int threadId)
    {
        running = LoopBaton.IsInCallback(word) ? Volatile.Read(ref _running) : null;
        threadId = Volatile.Read(ref _holder)?.KernelId ?? 0;
        return BatonWord == word;
    }
}
