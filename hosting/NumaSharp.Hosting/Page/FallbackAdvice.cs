using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Page;

/// <summary>
/// The advice for a fallback: the last column of docs/reference/diagnostics.md, which is embedded in the assembly.
/// </summary>
internal static partial class FallbackAdvice
{
    private const string Resource = "NumaSharp.Hosting.diagnostics.md";

    private static readonly Lazy<Dictionary<string, string>> s_advice = new(Read);

    /// <summary>The advice in plain text, or <see langword="null"/> for a feature that the page does not list.</summary>
    public static string? Of(string feature) => s_advice.Value.GetValueOrDefault(feature);

    private static Dictionary<string, string> Read()
    {
        using var stream = typeof(FallbackAdvice).Assembly.GetManifestResourceStream(Resource)!;
        using var reader = new StreamReader(stream);
        var advice = new Dictionary<string, string>(StringComparer.Ordinal);
        while (reader.ReadLine() is { } line)
        {
            var cells = line.Split('|', StringSplitOptions.TrimEntries);
            if (cells.Length == 6 && Feature().Match(cells[1]) is { Success: true } feature)
            {
                advice.Add(feature.Groups[1].Value, PlainTextOf(cells[4]));
            }
        }

        return advice;
    }

    private static string PlainTextOf(string markdown) =>
        Link().Replace(markdown, "$1").Replace("`", "", StringComparison.Ordinal);

    [GeneratedRegex(@"^`([a-z]+\.[a-z]+)`$", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Feature();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Link();
}
