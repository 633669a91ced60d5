namespace NumaSharp.Hosting.Configuration;

/// <summary>A setting in terms of JSON schema.</summary>
/// <param name="Types">The allowed JSON types.</param>
internal sealed record SettingShape(params string[] Types)
{
    public long? Minimum { get; init; }

    public long? Maximum { get; init; }

    /// <summary>The regular expression (ECMA 262) of string values.</summary>
    public string? Pattern { get; init; }

    public IReadOnlyList<string>? Names { get; init; }

    /// <summary>For an object with a key per node: the shape of the values.</summary>
    public SettingShape? PerNode { get; init; }
}
