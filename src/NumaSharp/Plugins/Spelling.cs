namespace NumaSharp.Core;

/// <summary>Guesses the intended word. A suggestion that is far off is worse than none.</summary>
internal static class Spelling
{
    /// <summary>The most similar word, or <see langword="null"/> if none is similar enough.</summary>
    public static string? Nearest(string written, IEnumerable<string> known) => known
        .Select(word => (Word: word, Distance: Distance(written, word)))
        .Where(static candidate => candidate.Distance is not null)
        .OrderBy(static candidate => candidate.Distance)
        .Select(static candidate => candidate.Word)
        .FirstOrDefault();

    /// <summary>
    /// The number of letters added, left out, changed or swapped with the next one, ignoring case; <see langword="null"/> if that
    /// is more than a third of the intended word. Different digits mean a different word, not a slip.
    /// </summary>
    public static int? Distance(string written, string known)
    {
        var limit = Math.Max(1, known.Length / 3);
        return Math.Abs(written.Length - known.Length) <= limit
            && written.Where(char.IsAsciiDigit).SequenceEqual(known.Where(char.IsAsciiDigit))
            && Edits(written, known) is var edits && edits <= limit
            ? edits
            : null;
    }

    // Optimal string alignment, three rows.
    private static int Edits(string left, string right)
    {
        var (before, previous, current) = (new int[right.Length + 1], new int[right.Length + 1], new int[right.Length + 1]);
        for (var j = 0; j <= right.Length; j++)
        {
            previous[j] = j;
        }

        for (var i = 0; i < left.Length; i++)
        {
            current[0] = i + 1;
            for (var j = 0; j < right.Length; j++)
            {
                var change = IsSame(left[i], right[j]) ? 0 : 1;
                current[j + 1] = Math.Min(Math.Min(current[j], previous[j + 1]) + 1, previous[j] + change);
                if (i > 0 && j > 0 && IsSame(left[i], right[j - 1]) && IsSame(left[i - 1], right[j]))
                {
                    current[j + 1] = Math.Min(current[j + 1], before[j - 1] + 1);
                }
            }

            (before, previous, current) = (previous, current, before);
        }

        return previous[right.Length];
    }

    private static bool IsSame(char left, char right) => char.ToUpperInvariant(left) == char.ToUpperInvariant(right);
}
