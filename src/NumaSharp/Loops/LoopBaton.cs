using System.Runtime.CompilerServices;

namespace NumaSharp.EventLoop;

/// <summary>
/// The ownership of a loop's state, in one word: <c>sequence &lt;&lt; 1 | in a callback</c>. While the word is even only the
/// holder changes it; while it is odd, the holder leaves and the watchdog steals by the same compare-and-exchange, so exactly one
/// of them wins, and the sequence rules out ABA.
/// </summary>
internal struct LoopBaton
{
    private long _word;

    public readonly long Word => Volatile.Read(in _word);

    public static bool IsInCallback(long word) => (word & 1) != 0;

    /// <summary>
    /// The holder is about to run a callback. Its earlier writes to the loop are visible to a thread that steals it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long Enter()
    {
        var word = _word + 1;
        Volatile.Write(ref _word, word);
        return word;
    }

    /// <summary>The callback has returned. False: the baton was stolen, and the loop's state belongs to another thread.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLeave(long word) => Interlocked.CompareExchange(ref _word, word + 1, word) == word;

    /// <summary>Takes the loop from a thread that is still in the callback in which it was seen.</summary>
    public bool TrySteal(long word) => Interlocked.CompareExchange(ref _word, word + 1, word) == word;
}
