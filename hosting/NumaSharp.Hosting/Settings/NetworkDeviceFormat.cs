using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

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
