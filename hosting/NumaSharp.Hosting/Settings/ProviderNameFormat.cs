namespace NumaSharp.Hosting.Configuration;

/// <summary>A provider's name; whether it exists is checked against the registered ones.</summary>
internal sealed class ProviderNameFormat : SettingFormat<string>
{
    public override string Allowed => "Auto or the name of a registered provider";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string value) => !string.IsNullOrWhiteSpace(value);

    public override string ToText(string value) => value;
}
