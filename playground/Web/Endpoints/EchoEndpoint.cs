using System.Buffers;
using System.IO.Pipelines;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>
/// POST /echo: the body comes back. Up to 1 MiB is taken whole first, in the server's own blocks, so that a client may send all
/// before it reads; what is longer streams, and its client must read while it sends.
/// </summary>
internal sealed class EchoEndpoint(Departures departures)
{
    private const int WholeUpToBytes = 1024 * 1024;
    private const int FlushAtBytes = 64 * 1024;

    public async Task HandleAsync(HttpContext context)
    {
        try
        {
            await EchoAsync(context);
        }
        catch (Exception exception) when (Departures.IsOne(context, exception))
        {
            departures.Add();
            throw;
        }
    }

    private static async Task EchoAsync(HttpContext context)
    {
        var reader = context.Request.BodyReader;
        var read = await reader.ReadAtLeastAsync(WholeUpToBytes + 1);
        var response = context.Response;
        response.ContentType = Reply.Binary;
        response.ContentLength = read.IsCompleted ? read.Buffer.Length : context.Request.ContentLength;

        // Once the response has started, the writer hands out the transport's memory instead of a copy.
        await response.StartAsync();
        var writer = response.BodyWriter;
        while (true)
        {
            foreach (var segment in read.Buffer)
            {
                writer.Write(segment.Span);
                if (writer.UnflushedBytes >= FlushAtBytes && (await writer.FlushAsync()).IsCompleted)
                {
                    break;
                }
            }

            reader.AdvanceTo(read.Buffer.End);
            var flush = await writer.FlushAsync();
            if (read.IsCompleted || flush.IsCompleted)
            {
                return;
            }

            read = await reader.ReadAsync();
        }
    }
}
