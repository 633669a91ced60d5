using System.Net;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

/// <summary>A local address to bind to.</summary>
internal sealed class AddressFormat : SettingFormat<string>
{
    public const string Any = "*";

    public override string Allowed => "'*' (any address), or an IP address such as '127.0.0.1' or '::1'";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string value) => value == Any || IPAddress.TryParse(value, out _);

    public override string ToText(string value) => value;
}

internal sealed class EndpointAddressFormat : SettingFormat<string>
{
    public override string Allowed =>
        "an address with a port such as '127.0.0.1:80', '[::1]:80', 'localhost:80' or '*:80' (any address), the path of a Unix "
        + "socket, '@' and an abstract name, or 'fd:' and a file descriptor";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string value) => EndpointAddress.TryParse(value, out _);

    public override string ToText(string value) => value;
}

/// <summary>The name of a network interface; whether it exists is checked against the machine.</summary>
internal sealed class NetworkDeviceFormat : SettingFormat<string?>
{
    public override string Allowed => $"{NumaPlanRequest.AutoNetworkDevice} or the name of a network interface such as 'eth0'";

    public override SettingShape Shape { get; } = new("string");

    public override bool TryParse(string text, out string? value)
    {
        value = text;
        return true;
    }

    public override bool IsAllowed(string? value) => value is null || !string.IsNullOrWhiteSpace(value);

    public override string ToText(string? value) => value ?? "";
}

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
