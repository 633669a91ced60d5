using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>What is wrong with a setting.</summary>
/// <param name="Path">The key below the section, such as <c>Transport:Backlog</c>.</param>
/// <param name="Value">Its value as text.</param>
/// <param name="Reason">What is allowed.</param>
internal sealed record SettingFailure(string Path, string Value, string Reason)
{
    public static IEnumerable<SettingFailure> From(NumaSettingException exception) =>
        exception.Problems.Select(static problem => new SettingFailure(problem.Key, problem.Value, problem.Reason));

    public string ToText(string prefix) => $"{prefix}{Path} = '{Printable(Value)}': {Reason}";

    // One line per error, whatever is in the value; code may have set null.
    private static string Printable(string? value) =>
        string.Concat((value ?? "").Select(static c => char.IsControl(c) ? '?' : c));
}
