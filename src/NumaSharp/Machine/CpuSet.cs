using System.Collections;
using System.Numerics;

namespace NumaSharp.Core;

/// <summary>
/// An immutable set of CPU ids of any width (hwloc's bitmap). Sets of node ids are the same type, as in hwloc.
/// Reads and writes the kernel's list (<c>0-3,8</c>) and mask (<c>ff,ffffffff</c>) formats. Thread-safe.
/// </summary>
public sealed partial class CpuSet : IReadOnlyCollection<int>, IEquatable<CpuSet>
{
    /// <summary>
    /// The largest id that a set holds: eight times Linux's largest NR_CPUS, small enough to bound what hostile input costs.
    /// </summary>
    public const int MaxId = (1 << 16) - 1;

    private const int BitsPerWord = 64;

    // No trailing zero words, so that equal sets have equal arrays.
    private readonly ulong[] _words;

    private CpuSet(ulong[] words)
    {
        var length = words.Length;
        while (length > 0 && words[length - 1] == 0)
        {
            length--;
        }

        _words = length == words.Length ? words : words[..length];
        foreach (var word in _words)
        {
            Count += BitOperations.PopCount(word);
        }
    }

    /// <summary>The set without ids.</summary>
    public static CpuSet Empty { get; } = new([]);

    /// <summary>How many ids the set has.</summary>
    public int Count { get; }

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => _words.Length == 0;

    /// <summary>The smallest id, or -1 when the set is empty.</summary>
    public int First
    {
        get
        {
            for (var i = 0; i < _words.Length; i++)
            {
                if (_words[i] != 0)
                {
                    return (i * BitsPerWord) + BitOperations.TrailingZeroCount(_words[i]);
                }
            }

            return -1;
        }
    }

    /// <summary>The largest id, or -1 when the set is empty.</summary>
    public int Last => IsEmpty ? -1 : (_words.Length * BitsPerWord) - 1 - BitOperations.LeadingZeroCount(_words[^1]);

    /// <summary>Whether both sets have the same ids.</summary>
    /// <param name="left">A set, or <see langword="null"/>.</param>
    /// <param name="right">Another.</param>
    /// <returns>Whether they are equal.</returns>
    public static bool operator ==(CpuSet? left, CpuSet? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether an id is in one of the sets only.</summary>
    /// <param name="left">A set, or <see langword="null"/>.</param>
    /// <param name="right">Another.</param>
    /// <returns>Whether they differ.</returns>
    public static bool operator !=(CpuSet? left, CpuSet? right) => !(left == right);

    /// <summary>Creates a set of ids.</summary>
    /// <param name="ids">0 to <see cref="MaxId"/>, in any order, repeats allowed.</param>
    /// <returns>The set.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An id is outside the range.</exception>
    public static CpuSet FromIds(params ReadOnlySpan<int> ids)
    {
        var words = Array.Empty<ulong>();
        foreach (var id in ids)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(id, nameof(ids));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(id, MaxId, nameof(ids));
            SetBit(ref words, id);
        }

        return new CpuSet(words);
    }

    /// <summary>Creates a set of ids.</summary>
    /// <param name="ids">0 to <see cref="MaxId"/>, in any order, repeats allowed.</param>
    /// <returns>The set.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An id is outside the range.</exception>
    public static CpuSet FromIds(IEnumerable<int> ids)
    {
        ArgumentNullException.ThrowIfNull(ids);
        return FromIds(ids as int[] ?? ids.ToArray());
    }

    /// <summary>Creates the set of <paramref name="count"/> ids from <paramref name="first"/> on.</summary>
    /// <param name="first">The smallest id.</param>
    /// <param name="count">How many, 0 or more.</param>
    /// <returns>The set.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An id is outside the range.</exception>
    public static CpuSet Range(int first, int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(first);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)first + count - 1, MaxId, nameof(count));
        if (count == 0)
        {
            return Empty;
        }

        var words = Array.Empty<ulong>();
        SetRange(ref words, first, first + count - 1);
        return new CpuSet(words);
    }

    /// <summary>Creates a set from a bitmap in memory order, word 0 first (as in sched_setaffinity(2) and mbind(2)).</summary>
    /// <param name="words">The words; bits above <see cref="MaxId"/> must be 0.</param>
    /// <returns>The set.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A bit above <see cref="MaxId"/> is set.</exception>
    public static CpuSet FromWords(ReadOnlySpan<ulong> words)
    {
        var set = new CpuSet(words.ToArray());
        ArgumentOutOfRangeException.ThrowIfGreaterThan(set.Last, MaxId, nameof(words));
        return set;
    }

    /// <summary>The words of the bitmap, word 0 first, without trailing zero words.</summary>
    /// <returns>A view of the set.</returns>
    public ReadOnlySpan<ulong> AsWords() => _words;

    /// <summary>Whether the set has the id. False for ids outside the range.</summary>
    /// <param name="id">The id.</param>
    /// <returns>Whether it is in.</returns>
    public bool Contains(int id) =>
        (uint)id / BitsPerWord < (uint)_words.Length && (_words[id / BitsPerWord] & (1UL << (id % BitsPerWord))) != 0;

    /// <summary>The ids that are in both sets.</summary>
    /// <param name="other">The other set.</param>
    /// <returns>The intersection.</returns>
    public CpuSet Intersect(CpuSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var words = new ulong[Math.Min(_words.Length, other._words.Length)];
        for (var i = 0; i < words.Length; i++)
        {
            words[i] = _words[i] & other._words[i];
        }

        return new CpuSet(words);
    }

    /// <summary>The ids of all of these sets.</summary>
    internal static CpuSet UnionOf(IEnumerable<CpuSet> sets) => sets.Aggregate(Empty, static (all, set) => all.Union(set));

    /// <summary>The ids that are in one of the sets.</summary>
    /// <param name="other">The other set.</param>
    /// <returns>The union.</returns>
    public CpuSet Union(CpuSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var (longer, shorter) = _words.Length >= other._words.Length ? (_words, other._words) : (other._words, _words);
        var words = longer.ToArray();
        for (var i = 0; i < shorter.Length; i++)
        {
            words[i] |= shorter[i];
        }

        return new CpuSet(words);
    }

    /// <summary>The ids of this set that are not in the other.</summary>
    /// <param name="other">The other set.</param>
    /// <returns>The difference.</returns>
    public CpuSet Except(CpuSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var words = _words.ToArray();
        for (var i = 0; i < Math.Min(words.Length, other._words.Length); i++)
        {
            words[i] &= ~other._words[i];
        }

        return new CpuSet(words);
    }

    /// <summary>Whether every id of this set is in the other.</summary>
    /// <param name="other">The other set.</param>
    /// <returns>Whether this is a subset.</returns>
    public bool IsSubsetOf(CpuSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (_words.Length > other._words.Length)
        {
            return false;
        }

        for (var i = 0; i < _words.Length; i++)
        {
            if ((_words[i] & ~other._words[i]) != 0)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether an id is in both sets.</summary>
    /// <param name="other">The other set.</param>
    /// <returns>Whether the sets overlap.</returns>
    public bool Overlaps(CpuSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        for (var i = 0; i < Math.Min(_words.Length, other._words.Length); i++)
        {
            if ((_words[i] & other._words[i]) != 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <inheritdoc/>
    public bool Equals(CpuSet? other) => other is not null && _words.AsSpan().SequenceEqual(other._words);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CpuSet);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        foreach (var word in _words)
        {
            hash.Add(word);
        }

        return hash.ToHashCode();
    }

    /// <summary>Enumerates the ids in ascending order.</summary>
    /// <returns>The enumerator.</returns>
    public IEnumerator<int> GetEnumerator()
    {
        for (var i = 0; i < _words.Length; i++)
        {
            for (var word = _words[i]; word != 0; word &= word - 1)
            {
                yield return (i * BitsPerWord) + BitOperations.TrailingZeroCount(word);
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static void SetBit(ref ulong[] words, int id)
    {
        Grow(ref words, id);
        words[id / BitsPerWord] |= 1UL << (id % BitsPerWord);
    }

    private static void SetRange(ref ulong[] words, int first, int last)
    {
        Grow(ref words, last);
        var (low, high) = (first / BitsPerWord, last / BitsPerWord);
        var fromFirst = ulong.MaxValue << (first % BitsPerWord);
        var toLast = ulong.MaxValue >> (BitsPerWord - 1 - (last % BitsPerWord));
        if (low == high)
        {
            words[low] |= fromFirst & toLast;
            return;
        }

        words[low] |= fromFirst;
        words.AsSpan((low + 1)..high).Fill(ulong.MaxValue);
        words[high] |= toLast;
    }

    // Doubling, because ids usually come in ascending order and one word more each time would copy quadratically.
    private static void Grow(ref ulong[] words, int id)
    {
        var needed = (id / BitsPerWord) + 1;
        if (needed > words.Length)
        {
            Array.Resize(ref words, Math.Max(needed, words.Length * 2));
        }
    }
}
