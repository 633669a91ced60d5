using System.Net;

namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>A request body made as it is sent, with its length announced or chunked.</summary>
internal sealed class PatternContent(long length, bool chunked) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        Pattern.WriteAsync(stream, length);

    protected override bool TryComputeLength(out long computed)
    {
        computed = length;
        return !chunked;
    }
}
