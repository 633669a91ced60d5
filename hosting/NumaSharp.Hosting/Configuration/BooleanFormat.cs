namespace NumaSharp.Hosting.Configuration;

internal sealed class BooleanFormat : SettingFormat<bool>
{
    public override string Allowed => "true or false";

    public override SettingShape Shape { get; } = new("boolean");

    public override bool TryParse(string text, out bool value) => bool.TryParse(text, out value);

    public override string ToText(bool value) => value ? "true" : "false";
}
