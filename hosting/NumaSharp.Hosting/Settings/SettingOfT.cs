namespace NumaSharp.Hosting.Configuration;

/// <summary>A typed setting: its place in the options and its format.</summary>
internal sealed class Setting<T>(
    string path,
    SettingFormat<T> format,
    Func<NumaOptions, T> get,
    Action<NumaOptions, T> set,
    string description)
    : Setting(path, description)
{
    public override string Allowed => format.Allowed;

    // The property initializers are the only source of defaults.
    public override string Default => format.ToText(get(new NumaOptions()));

    public override SettingShape Shape => format.Shape;

    public override IEnumerable<SettingFailure> Read(NumaOptions options, WrittenKey key)
    {
        if (format.TryRead(key, Path, out var value, out var failure))
        {
            set(options, value);
        }

        return failure is null ? [] : [failure];
    }

    public override IEnumerable<KeyValuePair<string, string>> TextsOf(NumaOptions options) =>
        [KeyValuePair.Create(Path, format.ToText(get(options)))];

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options)
    {
        var value = get(options);
        return format.IsAllowed(value) ? [] : [new SettingFailure(Path, format.ToText(value), $"must be {Allowed}")];
    }
}
