namespace NumaSharp.Hosting;

/// <summary>An unknown key of the section <c>Numa</c>, and the one that may have been meant. Immutable.</summary>
public sealed record NumaUnknownKey
{
    /// <summary>Creates a key from its properties.</summary>
    /// <param name="key"><see cref="Key"/></param>
    /// <param name="nearestKey"><see cref="NearestKey"/></param>
    public NumaUnknownKey(string key, string? nearestKey)
    {
        Key = key;
        NearestKey = nearestKey;
    }

    /// <summary>The key, such as <c>Numa:Transport:Backlogg</c>.</summary>
    public string Key { get; init; }

    /// <summary>The most similar known key, or <see langword="null"/> if none is similar.</summary>
    public string? NearestKey { get; init; }

    internal string Advice { get; init; } = "";

    /// <inheritdoc/>
    public override string ToString() => $"Unknown setting {Key}. {Advice}".TrimEnd();
}
