namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /data/{bytes}: a body of that many bytes.</summary>
internal static class DataEndpoint
{
    private const string Parameter = "bytes";
    private const long MaximumBytes = 1L << 30;

    public static Task Handle(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumBytes, out var length))
        {
            return RouteNumber.RefuseAsync(context, Parameter, MaximumBytes);
        }

        return length <= Blocks.Prepared.Length
            ? Reply.WholeAsync(context, Reply.Binary, Blocks.Prepared[..(int)length])
            : Blocks.RepeatAsync(context, Blocks.Prepared, length);
    }
}
