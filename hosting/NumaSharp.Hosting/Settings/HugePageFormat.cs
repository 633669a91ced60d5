namespace NumaSharp.Hosting.Configuration;

/// <summary>Page sizes are written as sizes, which cannot be names of an enumeration.</summary>
internal sealed class HugePageFormat : SettingFormat<NumaHugePageUse>
{
    private static readonly (NumaHugePageUse Use, string Text)[] s_texts =
    [
        (NumaHugePageUse.None, "None"),
        (NumaHugePageUse.Transparent, "Transparent"),
        (NumaHugePageUse.Size2MiB, "2MiB"),
        (NumaHugePageUse.Size1GiB, "1GiB"),
    ];

    public override string Allowed => $"one of {string.Join(", ", s_texts.Select(static pair => pair.Text))}";

    public override SettingShape Shape { get; } = new("string") { Names = [.. s_texts.Select(static pair => pair.Text)] };

    public override bool TryParse(string text, out NumaHugePageUse value)
    {
        var index = Array.FindIndex(s_texts, pair => pair.Text.Equals(text, StringComparison.OrdinalIgnoreCase));
        value = index < 0 ? default : s_texts[index].Use;
        return index >= 0;
    }

    public override bool IsAllowed(NumaHugePageUse value) => Enum.IsDefined(value);

    public override string? Guess(string text) => Spelling.Nearest(text, s_texts.Select(static pair => pair.Text));

    public override string ToText(NumaHugePageUse value) =>
        Array.Find(s_texts, pair => pair.Use == value).Text ?? value.ToString();
}
