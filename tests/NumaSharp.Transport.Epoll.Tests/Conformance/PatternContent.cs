using System.Net;

namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>A request body made as it is sent, with its length announced or chunked.</summary>
internal sealed class PatternContent(long length, bool chunked) : HttpContent
{
    private readonly TaskCompletionSource _sent = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when all of it is on its way.</summary>
    public Task Sent => _sent.Task;

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        await Pattern.WriteAsync(stream, length);
        _sent.TrySetResult();
    }

    protected override bool TryComputeLength(out long computed)
    {
        computed = length;
        return !chunked;
    }
}
