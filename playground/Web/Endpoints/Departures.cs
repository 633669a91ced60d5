using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>Counts the requests that ended because their client left. Thread-safe.</summary>
internal sealed class Departures
{
    private long _count;

    public long Count => Interlocked.Read(ref _count);

    public void Add() => Interlocked.Increment(ref _count);

    /// <summary>
    /// Whether a read or write failed because the client is gone. Kestrel ends the read of a body that stops too early before
    /// it signals RequestAborted; when the length was announced, an early end is the only thing that can be wrong with it.
    /// </summary>
    public static bool IsOne(HttpContext context, Exception exception) => exception switch
    {
        ConnectionResetException => true,
        BadHttpRequestException { StatusCode: StatusCodes.Status400BadRequest } when context.Request.ContentLength > 0 => true,
        OperationCanceledException or IOException => context.RequestAborted.IsCancellationRequested,
        _ => false,
    };
}
