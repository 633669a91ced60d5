namespace NumaSharp.Core.Memory;

/// <summary>The outcome of exchanging old pages for new ones.</summary>
internal enum RenewalResult
{
    /// <summary>They are gone; the next touch takes others.</summary>
    Renewed,

    /// <summary>The system does not give them up: they stay as they are.</summary>
    Kept,

    /// <summary>They are gone, and the system gives no others.</summary>
    Lost,
}
