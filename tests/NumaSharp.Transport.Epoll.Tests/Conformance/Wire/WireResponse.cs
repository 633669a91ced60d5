using System.Text;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>A response as it was on the wire, its body without chunk framing.</summary>
internal sealed record WireResponse(int Status, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    /// <summary>The sizes of the chunks that the body came in; empty for a body with a Content-Length.</summary>
    public IReadOnlyList<int> Chunks { get; init; } = [];

    public string Text => Encoding.UTF8.GetString(Body);
}
