namespace NumaSharp.Core;

/// <summary>A request that could not be met, and what is done instead.</summary>
public sealed record NumaFallback
{
    /// <summary>Takes the value of each property, and the remedy of a feature of NumaSharp.</summary>
    /// <param name="feature"><see cref="Feature"/></param>
    /// <param name="message"><see cref="Message"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    public NumaFallback(string feature, string message, NumaNodeId? nodeId = null)
    {
        Feature = feature;
        Message = message;
        NodeId = nodeId;
        Remedy = FallbackCatalog.Find(feature)?.Remedy;
    }

    internal NumaFallback(FallbackKind kind, string message, NumaNodeId? nodeId = null)
    {
        Feature = kind.Id;
        Message = message;
        NodeId = nodeId;
        Remedy = kind.Remedy;
    }

    /// <summary>
    /// Stable: the component that reports it, a dot, a word. NumaSharp's are <c>memory.bind</c>, <c>affinity.pin</c> and the
    /// others of docs/reference/diagnostics.md; a plugin's begin with its own name.
    /// </summary>
    public string Feature { get; init; }

    /// <summary>For a person, in one line: what failed, why, and what happens instead.</summary>
    public string Message { get; init; }

    /// <summary>The node it concerns, if it is one.</summary>
    public NumaNodeId? NodeId { get; init; }

    /// <summary>For a person, in one line: what to do about it; <see langword="null"/> if nothing is known.</summary>
    public string? Remedy { get; init; }

    /// <summary>The message and the remedy.</summary>
    internal string Text => Remedy is null ? Message : $"{Sentence} {Remedy}";

    /// <summary>The message, which may end with the text of an exception, as a sentence that others can follow.</summary>
    internal string Sentence => Message.EndsWith('.') ? Message : $"{Message}.";

    /// <summary>Feature, message and remedy.</summary>
    /// <returns>A line for a person.</returns>
    public override string ToString() => $"{Feature}: {Text}";
}
