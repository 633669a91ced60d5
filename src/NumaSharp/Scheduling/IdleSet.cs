using System.Numerics;

namespace NumaSharp.Scheduling;

/// <summary>
/// The idle workers of a group, by slot. The thread that removes a slot owns its wake-up. The lowest slot is taken first, so that
/// at low load the same few workers stay warm and spares can retire. Lock-free; every change is a full fence.
/// </summary>
internal sealed class IdleSet(int capacity)
{
    private const int BitsPerWord = 64;

    private readonly long[] _words = new long[(capacity + BitsPerWord - 1) / BitsPerWord];

    public bool IsEmpty
    {
        get
        {
            for (var i = 0; i < _words.Length; i++)
            {
                if (Volatile.Read(ref _words[i]) != 0)
                {
                    return false;
                }
            }

            return true;
        }
    }

    public void Add(int slot) => Interlocked.Or(ref _words[slot / BitsPerWord], Bit(slot));

    public bool TryRemove(int slot) => (Interlocked.And(ref _words[slot / BitsPerWord], ~Bit(slot)) & Bit(slot)) != 0;

    public bool TryTake(out int slot)
    {
        for (var i = 0; i < _words.Length; i++)
        {
            for (var word = Volatile.Read(ref _words[i]); word != 0; word = Volatile.Read(ref _words[i]))
            {
                slot = (i * BitsPerWord) + BitOperations.TrailingZeroCount(word);
                if (TryRemove(slot))
                {
                    return true;
                }
            }
        }

        slot = -1;
        return false;
    }

    private static long Bit(int slot) => 1L << (slot % BitsPerWord);
}
