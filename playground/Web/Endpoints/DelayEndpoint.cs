namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /delay/{ms}: answers after that time, without a thread.</summary>
internal sealed class DelayEndpoint(Departures departures)
{
    private const string Parameter = "ms";
    private const long MaximumMilliseconds = 600_000;

    public async Task HandleAsync(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumMilliseconds, out var milliseconds))
        {
            await RouteNumber.RefuseAsync(context, Parameter, MaximumMilliseconds);
            return;
        }

        try
        {
            await Task.Delay(TimeSpan.FromMilliseconds(milliseconds), context.RequestAborted);
        }
        catch (OperationCanceledException)
        {
            departures.Add();
            throw;
        }

        await Reply.TextAsync(context, "done");
    }
}
