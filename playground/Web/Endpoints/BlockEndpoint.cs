namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /block/{ms}: holds its thread for that time, as bad application code does.</summary>
internal static class BlockEndpoint
{
    private const string Parameter = "ms";
    private const long MaximumMilliseconds = 60_000;

    public static Task Handle(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumMilliseconds, out var milliseconds))
        {
            return RouteNumber.RefuseAsync(context, Parameter, MaximumMilliseconds);
        }

        Thread.Sleep(TimeSpan.FromMilliseconds(milliseconds));
        return Reply.TextAsync(context, "done");
    }
}
