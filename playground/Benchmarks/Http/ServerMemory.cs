using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Asks a server about its managed memory, over a connection of its own.</summary>
internal sealed class ServerMemory(string url) : IDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(20);

    private readonly HttpClient _client = new() { BaseAddress = new Uri(url), Timeout = s_limit };

    /// <summary>
    /// Allocations of a server per second in the middle of a run: connecting is not included.
    /// </summary>
    /// <remarks>Its own second request is in it, which is a few hundred bytes.</remarks>
    public async Task<double> MeasureBytesPerSecondAsync(TimeSpan length, CancellationToken cancellation)
    {
        var before = await ReadAsync(cancellation);
        await Task.Delay(length, cancellation);
        var after = await ReadAsync(cancellation);
        return (after.Allocated - before.Allocated) * 1e9 / (after.Nanoseconds - before.Nanoseconds);
    }

    /// <summary>Methods that the runtime has compiled so far, again those that it has replaced by better code.</summary>
    public async Task<long> ReadCompiledAsync(CancellationToken cancellation) =>
        (await ReadAllAsync(cancellation)).GetProperty("compiled").GetInt64();

    /// <summary>Bytes that live after a full collection.</summary>
    public async Task<long> CollectAsync(CancellationToken cancellation)
    {
        using var answer = await AskAsync(client => client.PostAsync(Relative("/collect"), null, cancellation), cancellation);
        return long.Parse(await answer.Content.ReadAsStringAsync(cancellation), CultureInfo.InvariantCulture);
    }

    public void Dispose() => _client.Dispose();

    private static Uri Relative(string path) => new(path, UriKind.Relative);

    private async Task<(long Allocated, long Nanoseconds)> ReadAsync(CancellationToken cancellation)
    {
        var answer = await ReadAllAsync(cancellation);
        return (answer.GetProperty("allocated").GetInt64(), answer.GetProperty("nanoseconds").GetInt64());
    }

    private Task<JsonElement> ReadAllAsync(CancellationToken cancellation) => AskAsync(
        client => client.GetFromJsonAsync(Relative("/memory"), JsonAnswer.Default.JsonElement, cancellation), cancellation);

    private async Task<T> AskAsync<T>(Func<HttpClient, Task<T>> ask, CancellationToken cancellation)
    {
        try
        {
            return await ask(_client);
        }
        catch (Exception failure) when (failure is HttpRequestException or JsonException
            || (failure is TaskCanceledException && !cancellation.IsCancellationRequested))
        {
            throw new BenchmarkException($"{url} does not tell its memory: {failure.Message}");
        }
    }
}
