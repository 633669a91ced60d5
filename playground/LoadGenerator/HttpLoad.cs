using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NumaSharp.Playground.LoadGenerator;

/// <summary>Asks the web apps where their requests run.</summary>
internal sealed class HttpLoad(
    IHttpClientFactory clients, IOptions<LoadOptions> options, LoadMetrics metrics, ILogger<HttpLoad> logger)
    : PacedLoad("http", options.Value.Rate, metrics, logger, TimeProvider.System)
{
    protected override IEnumerable<string> Targets => options.Value.Web.Select(static address => address.AbsoluteUri);

    protected override async Task SendAsync(string target, CancellationToken cancellationToken)
    {
        using var client = clients.CreateClient();
        using var answer = await client.GetAsync(new Uri(new Uri(target), "/where"), cancellationToken);
        answer.EnsureSuccessStatusCode();
        _ = await answer.Content.ReadAsByteArrayAsync(cancellationToken);
    }
}
