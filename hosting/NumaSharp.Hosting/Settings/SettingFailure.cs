using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>An invalid setting.</summary>
/// <param name="Path">The key below the section, such as <c>Transport:Backlog</c>; empty for the section itself.</param>
/// <param name="Value">Its value as text.</param>
/// <param name="Reason">The allowed values, or what is wrong.</param>
internal sealed record SettingFailure(string Path, string Value, string Reason)
{
    /// <summary>The value of a key that holds an object or an array.</summary>
    public const string Structure = "...";

    public static IEnumerable<SettingFailure> From(NumaSettingException exception) =>
        exception.Problems.Select(static problem => new SettingFailure(problem.Key, problem.Value, problem.Reason));

    /// <summary>The failure as one line.</summary>
    /// <param name="key">The full key.</param>
    /// <param name="source">The source of the value, if known.</param>
    public string ToText(string key, string? source) =>
        $"{key} = '{Printable(Value)}'{(source is null ? "" : $" ({Printable(source)})")}: {Reason}";

    // One line per error, whatever the value contains; code may have set null.
    private static string Printable(string? value) =>
        string.Concat((value ?? "").Select(static c => char.IsControl(c) ? '?' : c));
}
