namespace NumaSharp.Hosting.Configuration;

/// <summary>An absolute path: the current directory of a service is rarely the expected one.</summary>
internal sealed class FolderFormat : SettingFormat<string>
{
    public override string Allowed => "an absolute path";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    // The defaults, /sys and /proc, lack a drive on Windows and must be allowed there, too.
    public override bool IsAllowed(string value) =>
        !string.IsNullOrWhiteSpace(value)
        && !value.Contains('\0', StringComparison.Ordinal)
        && (value.StartsWith('/') || Path.IsPathFullyQualified(value));

    public override string ToText(string value) => value;
}
