using System.Net;

namespace NumaSharp.Hosting.Configuration;

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
