using System.Diagnostics;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /spin/{ms}: computes for that time, on its thread.</summary>
internal static class SpinEndpoint
{
    private const string Parameter = "ms";
    private const long MaximumMilliseconds = 60_000;

    public static Task Handle(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumMilliseconds, out var milliseconds))
        {
            return RouteNumber.RefuseAsync(context, Parameter, MaximumMilliseconds);
        }

        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < milliseconds)
        {
            Thread.SpinWait(1);
        }

        return Reply.TextAsync(context, "done");
    }
}
