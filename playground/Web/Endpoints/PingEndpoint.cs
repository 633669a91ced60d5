namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /ping: "pong".</summary>
internal static class PingEndpoint
{
    private static readonly ReadOnlyMemory<byte> s_pong = "pong"u8.ToArray();

    public static Task Handle(HttpContext context) => Reply.WholeAsync(context, Reply.Text, s_pong);
}
