namespace NumaSharp.Hosting;

/// <summary>A key of the section <c>Numa</c> that means nothing, and the one that may have been meant. Immutable.</summary>
/// <param name="Key">The key, such as <c>Numa:Transport:Backlogg</c>.</param>
/// <param name="NearestKey">The known key nearest to it, or <see langword="null"/> where none is spelled like it.</param>
public sealed record NumaUnknownKey(string Key, string? NearestKey)
{
    internal string Advice { get; init; } = "";

    /// <inheritdoc/>
    public override string ToString() => $"Unknown setting {Key}. {Advice}".TrimEnd();
}
