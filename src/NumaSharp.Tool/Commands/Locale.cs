namespace NumaSharp.Tool.Commands;

/// <summary>The character settings of the environment (locale(7)).</summary>
internal static class Locale
{
    /// <summary>
    /// Whether the C locale, which is ASCII only, is set explicitly. An unset locale, as in containers, does not count.
    /// </summary>
    public static bool IsC => new List<string> { "LC_ALL", "LC_CTYPE", "LANG" }
        .Select(Environment.GetEnvironmentVariable)
        .FirstOrDefault(static value => !string.IsNullOrEmpty(value)) is "C" or "POSIX";
}
