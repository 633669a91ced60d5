namespace NumaSharp.Core;

/// <summary>A machine cannot be read, not even in part.</summary>
public sealed class NumaTopologyException : NumaException
{
    private const int MaxQuotedLength = 80;

    /// <summary>Creates it for a file of the kernel.</summary>
    /// <param name="path">The file or directory.</param>
    /// <param name="value">Its content, or why there is none.</param>
    /// <param name="allowed">What is allowed.</param>
    public NumaTopologyException(string path, string value, string allowed)
        : base($"{path}: '{Quote(value)}' cannot be used; {allowed}.")
    {
        Path = path;
        Value = Quote(value);
        Allowed = allowed;
    }

    /// <summary>The file or directory.</summary>
    public string Path { get; }

    /// <summary>Its content, shortened and made printable.</summary>
    public string Value { get; }

    /// <summary>What is allowed.</summary>
    public string Allowed { get; }

    // Kernel files are not trusted: a control character would forge lines in a log.
    internal static string Quote(string value)
    {
        var text = value.Length <= MaxQuotedLength ? value : value[..MaxQuotedLength] + "...";
        return string.Create(text.Length, text, static (span, source) =>
        {
            for (var i = 0; i < span.Length; i++)
            {
                span[i] = source[i] is >= ' ' and <= '~' ? source[i] : '?';
            }
        });
    }
}
