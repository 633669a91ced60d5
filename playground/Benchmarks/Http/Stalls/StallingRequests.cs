namespace NumaSharp.Playground.Benchmarks.Http.Stalls;

/// <summary>
/// Requests that block their threads, a number of them at any time. Each has a connection of its own: a connection that blocks
/// several times is demoted.
/// </summary>
internal sealed class StallingRequests : IAsyncDisposable
{
    private readonly HttpClient _client;
    private readonly Task _running;
    private volatile bool _isEnding;
    private int _answered;

    public StallingRequests(ServerPorts ports, string path, int count)
    {
        _client = new HttpClient { BaseAddress = new Uri(ports.HttpUrl) };
        _client.DefaultRequestHeaders.ConnectionClose = true;
        _running = Task.WhenAll(Enumerable.Range(0, count).Select(_ => RepeatAsync(new Uri(path, UriKind.Relative))));
    }

    /// <summary>How many have been answered.</summary>
    public int Answered => Volatile.Read(ref _answered);

    /// <summary>Fails when one of them has.</summary>
    public async Task EndAsync()
    {
        _isEnding = true;
        try
        {
            await _running;
        }
        catch (HttpRequestException failure)
        {
            throw new BenchmarkException($"a request that keeps its thread was not answered: {failure.Message}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        _isEnding = true;
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _client.Dispose();
    }

    // Those that have begun are waited for: the next row's must not meet them.
    private async Task RepeatAsync(Uri path)
    {
        while (!_isEnding)
        {
            using var answer = await _client.GetAsync(path);
            answer.EnsureSuccessStatusCode();
            Interlocked.Increment(ref _answered);
        }
    }
}
