namespace NumaSharp.Hosting;

/// <summary>A key of the section <c>Numa</c> that means nothing, and the one that may have been meant. Immutable.</summary>
public sealed record NumaUnknownKey
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="key"><see cref="Key"/></param>
    /// <param name="nearestKey"><see cref="NearestKey"/></param>
    public NumaUnknownKey(string key, string? nearestKey)
    {
        Key = key;
        NearestKey = nearestKey;
    }

    /// <summary>The key, such as <c>Numa:Transport:Backlogg</c>.</summary>
    public string Key { get; init; }

    /// <summary>The known key nearest to it, or <see langword="null"/> where none is spelled like it.</summary>
    public string? NearestKey { get; init; }

    internal string Advice { get; init; } = "";

    /// <inheritdoc/>
    public override string ToString() => $"Unknown setting {Key}. {Advice}".TrimEnd();
}
