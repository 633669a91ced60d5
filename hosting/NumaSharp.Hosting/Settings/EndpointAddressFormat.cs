using NumaSharp.Hosting.Transport;

namespace NumaSharp.Hosting.Configuration;

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
