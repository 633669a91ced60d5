using System.Net;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Clients that count on every answer while something happens to their server.</summary>
internal static class PingClients
{
    private const int Clients = 8;
    private const int RequestsPerClient = 100;

    public static Task RequestAsync(EndPoint server) =>
        Task.WhenAll(Enumerable.Range(0, Clients).Select(client => RequestAsync(server, client)));

    /// <param name="server">Where to send the requests.</param>
    /// <param name="client">Every other one opens a connection per request.</param>
    public static async Task RequestAsync(EndPoint server, int client)
    {
        // Each request has a limit, and not all together: on a busy machine they take as long as they take.
        using var http = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        http.DefaultRequestHeaders.ConnectionClose = client % 2 == 1;
        for (var request = 0; request < RequestsPerClient; request++)
        {
            Assert.Equal("pong", await http.GetStringAsync(new Uri($"http://{server}/ping")).Within($"request {request}"));
        }
    }
}
