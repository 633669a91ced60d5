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

    public override bool TryApply(NumaOptions options, string text, int index = 0)
    {
        if (!format.TryParse(text.Trim(), out var value) || !format.IsAllowed(value))
        {
            return false;
        }

        set(options, value);
        return true;
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options)
    {
        var value = get(options);
        return format.IsAllowed(value) ? [] : [new SettingFailure(Path, format.ToText(value), $"must be {Allowed}")];
    }
}
