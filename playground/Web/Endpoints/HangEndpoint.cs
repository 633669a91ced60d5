namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /hang: never answers; ends when the client leaves.</summary>
internal sealed class HangEndpoint(Departures departures)
{
    public async Task HandleAsync(HttpContext context)
    {
        try
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted);
        }
        catch (OperationCanceledException)
        {
            departures.Add();
            throw;
        }
    }
}
