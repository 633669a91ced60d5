namespace NumaSharp.Hosting.Configuration;

/// <summary>The path of a plugin; whether it may be loaded is checked on loading.</summary>
internal sealed class PluginFileFormat : SettingFormat<string>
{
    public override string Allowed => "the path of an assembly below the content root's folder 'plugins'";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string value) =>
        !string.IsNullOrWhiteSpace(value) && !value.Contains('\0', StringComparison.Ordinal);

    public override string ToText(string value) => value;
}
