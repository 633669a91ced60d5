namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /big/{mebibytes}: one 64 KiB block again and again.</summary>
internal sealed class BigEndpoint(Departures departures)
{
    private const string Parameter = "mebibytes";
    private const long MaximumMebibytes = 1L << 20;
    private const int MebibyteShift = 20;

    public async Task HandleAsync(HttpContext context)
    {
        if (!RouteNumber.TryRead(context, Parameter, MaximumMebibytes, out var mebibytes))
        {
            await RouteNumber.RefuseAsync(context, Parameter, MaximumMebibytes);
            return;
        }

        try
        {
            if (!await Blocks.RepeatAsync(context, Blocks.Big, mebibytes << MebibyteShift))
            {
                departures.Add();
            }
        }
        catch (Exception exception) when (Departures.IsOne(context, exception))
        {
            departures.Add();
            throw;
        }
    }
}
