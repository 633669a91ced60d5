namespace NumaSharp.Core;

public sealed partial class CpuSet
{
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
}
