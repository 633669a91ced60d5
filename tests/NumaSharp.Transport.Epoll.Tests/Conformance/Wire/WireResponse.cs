using System.Text;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>A response as it was on the wire, its body without chunk framing.</summary>
internal sealed record WireResponse(int Status, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    public string Text => Encoding.UTF8.GetString(Body);
}
