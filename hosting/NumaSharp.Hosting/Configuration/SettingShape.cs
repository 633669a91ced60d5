namespace NumaSharp.Hosting.Configuration;

/// <summary>A setting as JSON schema sees it.</summary>
/// <param name="Types">The JSON types that are allowed.</param>
internal sealed record SettingShape(params string[] Types)
{
    public long? Minimum { get; init; }

    public long? Maximum { get; init; }

    /// <summary>The regular expression (ECMA 262) of values that are strings.</summary>
    public string? Pattern { get; init; }

    public IReadOnlyList<string>? Names { get; init; }

    /// <summary>Of an object with a key per node: the values.</summary>
    public SettingShape? PerNode { get; init; }
}
