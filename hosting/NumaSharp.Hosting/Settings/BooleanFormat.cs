namespace NumaSharp.Hosting.Configuration;

internal sealed class BooleanFormat : SettingFormat<bool>
{
    public override string Allowed => "true or false";

    public override SettingShape Shape { get; } = new("boolean");

    public override bool TryParse(string text, out bool value) => bool.TryParse(text, out value);

    public override string? Guess(string text) => text.ToUpperInvariant() switch
    {
        "ON" or "YES" or "1" => "true",
        "OFF" or "NO" or "0" => "false",
        _ => Spelling.Nearest(text, ["true", "false"]),
    };

    public override string ToText(bool value) => value ? "true" : "false";
}
