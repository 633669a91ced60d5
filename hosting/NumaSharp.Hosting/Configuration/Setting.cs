namespace NumaSharp.Hosting.Configuration;

/// <summary>One key of the <c>Numa</c> section: how it is read, checked, shown and described.</summary>
internal abstract class Setting(string path, string description)
{
    /// <summary>The key below the section, such as <c>Transport:Backlog</c>.</summary>
    public string Path { get; } = path;

    public string Description { get; } = description;

    /// <summary>What is allowed, to follow "must be".</summary>
    public abstract string Allowed { get; }

    /// <summary>The text of the default, empty when the default is "not set".</summary>
    public abstract string Default { get; }

    public abstract SettingShape Shape { get; }

    /// <summary>Reads a text into the options.</summary>
    /// <returns>Whether it is allowed; the options are unchanged when not.</returns>
    public abstract bool TryApply(NumaOptions options, string text);

    /// <summary>Finds a value that is not allowed, which only code can have set.</summary>
    /// <returns>Its text, or <see langword="null"/> when all is well.</returns>
    public abstract string? FindInvalid(NumaOptions options);
}
