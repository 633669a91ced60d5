namespace NumaSharp.Hosting.Settings;

/// <summary>One key of the <c>Numa</c> section: how it is read, checked, shown and described.</summary>
internal abstract class Setting(string path, string description)
{
    /// <summary>The part of a path that stands for the index of any item of a list.</summary>
    public const string AnyIndex = "*";

    /// <summary>The part of a path that stands for any name chosen by the application.</summary>
    public const string AnyName = "<name>";

    /// <summary>The key below the section, such as <c>Transport:Backlog</c> or <c>Plugins:*:Assembly</c>.</summary>
    public string Path { get; } = path;

    public string Description { get; } = description;

    /// <summary>The allowed values, as text to follow "must be".</summary>
    public abstract string Allowed { get; }

    /// <summary>The text of the default; empty for "not set".</summary>
    public abstract string Default { get; }

    public abstract SettingShape Shape { get; }

    /// <summary>Reads the written value into the options.</summary>
    /// <param name="options">Receives the value.</param>
    /// <param name="key">The key, as written.</param>
    /// <returns>The parts that could not be read, which leave the options unchanged.</returns>
    public abstract IEnumerable<SettingFailure> Read(NumaOptions options, WrittenKey key);

    /// <summary>Finds values that are not allowed, which only code can have set.</summary>
    public abstract IEnumerable<SettingFailure> FindInvalid(NumaOptions options);

    /// <summary>The values in the options as text, by the key below the section; empty if not set.</summary>
    public abstract IEnumerable<KeyValuePair<string, string>> TextsOf(NumaOptions options);

    /// <summary>Whether a key is this one, below it or above it; an item's index matches any number, a name any text.</summary>
    public bool IsRelatedTo(string key) =>
        Path.Split(':').Zip(key.Split(':')).All(static pair =>
            pair.First switch
            {
                AnyName => true,
                AnyIndex => pair.Second.All(char.IsAsciiDigit),
                _ => pair.First.Equals(pair.Second, StringComparison.OrdinalIgnoreCase),
            });
}

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
