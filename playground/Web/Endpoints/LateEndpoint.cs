using System.Diagnostics;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /block/{ms} and GET /spin/{ms}: keeps its thread for that time, as bad application code does.</summary>
internal sealed class LateEndpoint(Action<TimeSpan> keep)
{
    private const string Parameter = "ms";
    private const long MaximumMilliseconds = 60_000;

    public static LateEndpoint Blocking { get; } = new(Thread.Sleep);

    public static LateEndpoint Spinning { get; } = new(Spin);

    public Task Handle(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumMilliseconds, out var milliseconds))
        {
            return RouteNumber.RefuseAsync(context, Parameter, MaximumMilliseconds);
        }

        keep(TimeSpan.FromMilliseconds(milliseconds));
        return Reply.TextAsync(context, "done");
    }

    private static void Spin(TimeSpan time)
    {
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            Thread.SpinWait(1);
        }
    }
}
