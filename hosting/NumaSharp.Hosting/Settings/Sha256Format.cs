namespace NumaSharp.Hosting.Configuration;

/// <summary>A SHA-256 as printed by sha256sum; empty for none.</summary>
internal sealed class Sha256Format : SettingFormat<string>
{
    private const int Digits = 64;

    public override string Allowed => "a SHA-256 of 64 hexadecimal digits";

    public override SettingShape Shape { get; } = new("string") { Pattern = "^\\s*[0-9A-Fa-f]{64}\\s*$" };

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string value) =>
        value.Length == 0 || (value.Length == Digits && value.All(char.IsAsciiHexDigit));

    public override string ToText(string value) => value;
}
