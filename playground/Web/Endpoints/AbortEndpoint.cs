namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /abort: the server resets the connection (HTTP/1.1) or the stream (HTTP/2).</summary>
internal static class AbortEndpoint
{
    public static Task Handle(HttpContext context)
    {
        context.Abort();
        return Task.CompletedTask;
    }
}
