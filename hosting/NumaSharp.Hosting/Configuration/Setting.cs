using Microsoft.Extensions.Configuration;

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

    /// <summary>Reads what is set into the options.</summary>
    /// <returns>What could not be read; the options are as they were there.</returns>
    public abstract IEnumerable<SettingFailure> Read(NumaOptions options, IConfigurationSection key);

    /// <summary>Finds values that are not allowed, which only code can have set.</summary>
    public abstract IEnumerable<SettingFailure> FindInvalid(NumaOptions options);
}
