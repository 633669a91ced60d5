namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>POST /sink: reads the body and answers with its length.</summary>
internal sealed class SinkEndpoint(Departures departures)
{
    public async Task HandleAsync(HttpContext context)
    {
        var reader = context.Request.BodyReader;
        var total = 0L;
        try
        {
            while (true)
            {
                var read = await reader.ReadAsync();
                total += read.Buffer.Length;
                reader.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    break;
                }
            }
        }
        catch (Exception exception) when (Departures.IsOne(context, exception))
        {
            departures.Add();
            throw;
        }

        await Reply.NumberAsync(context, total);
    }
}
