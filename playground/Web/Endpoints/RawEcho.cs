using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>A connection without HTTP: every byte comes back. What is left of a server is its transport.</summary>
internal sealed class RawEcho(Departures departures) : ConnectionHandler
{
    public override async Task OnConnectedAsync(ConnectionContext connection)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        try
        {
            while (true)
            {
                var read = await input.ReadAsync();
                foreach (var segment in read.Buffer)
                {
                    output.Write(segment.Span);
                }

                input.AdvanceTo(read.Buffer.End);
                if ((await output.FlushAsync()).IsCompleted || read.IsCompleted)
                {
                    return;
                }
            }
        }
        catch (ConnectionResetException)
        {
            departures.Add();
        }
    }
}
