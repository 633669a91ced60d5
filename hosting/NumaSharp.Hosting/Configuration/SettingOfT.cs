using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

/// <summary>A setting with its type: where it lives in the options and how it is written.</summary>
internal sealed class Setting<T>(
    string path,
    SettingFormat<T> format,
    Func<NumaOptions, T> get,
    Action<NumaOptions, T> set,
    string description)
    : Setting(path, description)
{
    public override string Allowed => format.Allowed;

    // The property initializers are the only place that says a default.
    public override string Default => format.ToText(get(new NumaOptions()));

    public override SettingShape Shape => format.Shape;

    public override IEnumerable<SettingFailure> Read(NumaOptions options, IConfigurationSection key)
    {
        if (key.GetChildren().Any())
        {
            return [new SettingFailure(Path, "...", $"must be {Allowed}, not an object or an array")];
        }

        if (string.IsNullOrWhiteSpace(key.Value))
        {
            return [];
        }

        if (!format.TryParse(key.Value.Trim(), out var value) || !format.IsAllowed(value))
        {
            return [new SettingFailure(Path, key.Value, $"must be {Allowed}")];
        }

        set(options, value);
        return [];
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options)
    {
        var value = get(options);
        return format.IsAllowed(value) ? [] : [new SettingFailure(Path, format.ToText(value), $"must be {Allowed}")];
    }
}
