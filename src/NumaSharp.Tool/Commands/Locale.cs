namespace NumaSharp.Tool.Commands;

/// <summary>What the environment says about characters (locale(7)).</summary>
internal static class Locale
{
    /// <summary>
    /// Whether the C locale is asked for, which has ASCII alone. Where nothing is set, as in containers, nobody asked.
    /// </summary>
    public static bool IsC => new List<string> { "LC_ALL", "LC_CTYPE", "LANG" }
        .Select(Environment.GetEnvironmentVariable)
        .FirstOrDefault(static value => !string.IsNullOrEmpty(value)) is "C" or "POSIX";
}
