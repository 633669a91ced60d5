namespace NumaSharp.Hosting.Configuration;

/// <summary>A key that means nothing, and the one that may have been meant.</summary>
/// <param name="Path">The key below the section.</param>
/// <param name="Nearest">The known key nearest to it.</param>
internal sealed record UnknownSetting(string Path, string Nearest)
{
    public static UnknownSetting For(string path) =>
        new(path, NumaSettings.All.Select(static setting => setting.Path).MinBy(known => DistanceTo(path, known))!);

    // The right key in the wrong section is nearer than any key that is merely spelled alike.
    private static int DistanceTo(string path, string known) =>
        Math.Min(EditDistance(path, known), EditDistance(NameOf(path), NameOf(known)) + 1);

    private static string NameOf(string path) => path[(path.LastIndexOf(':') + 1)..];

    // Levenshtein, two rows.
    private static int EditDistance(string left, string right)
    {
        var previous = Enumerable.Range(0, right.Length + 1).ToArray();
        var current = new int[right.Length + 1];
        for (var i = 0; i < left.Length; i++)
        {
            current[0] = i + 1;
            for (var j = 0; j < right.Length; j++)
            {
                var change = char.ToUpperInvariant(left[i]) == char.ToUpperInvariant(right[j]) ? 0 : 1;
                current[j + 1] = Math.Min(Math.Min(current[j], previous[j + 1]) + 1, previous[j] + change);
            }

            (previous, current) = (current, previous);
        }

        return previous[right.Length];
    }
}
