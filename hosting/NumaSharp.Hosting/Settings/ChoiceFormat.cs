namespace NumaSharp.Hosting.Configuration;

/// <summary>The names of an enumeration, without its numbers.</summary>
internal sealed class ChoiceFormat<T> : SettingFormat<T>
    where T : struct, Enum
{
    private static readonly string[] s_names = Enum.GetNames<T>();

    public override string Allowed => $"one of {string.Join(", ", s_names)}";

    public override SettingShape Shape { get; } = new("string") { Names = s_names };

    // Enum.TryParse alone would accept "1" and "None,Strict".
    public override bool TryParse(string text, out T value)
    {
        value = default;
        return s_names.Contains(text, StringComparer.OrdinalIgnoreCase) && Enum.TryParse(text, ignoreCase: true, out value);
    }

    public override bool IsAllowed(T value) => Enum.IsDefined(value);

    public override string? Guess(string text) => Spelling.Nearest(text, s_names);

    public override string ToText(T value) => value.ToString();
}
