namespace NumaSharp.TestKit;

/// <summary>Clients that send requests one after another over connections that stay open, until stopped.</summary>
public sealed class RequestLoad : IDisposable
{
    private const int Clients = 8;

    private readonly CancellationTokenSource _stop = new();
    private readonly Task[] _clients;
    private long _answers;

    /// <param name="address">Where they are sent.</param>
    /// <param name="answer">What each must be answered with.</param>
    public RequestLoad(Uri address, string answer)
    {
        async Task RunAsync()
        {
            using var client = TestHttpClient.Create();
            while (!_stop.IsCancellationRequested)
            {
                Assert.Equal(answer, await client.GetStringAsync(address));
                Interlocked.Increment(ref _answers);
            }
        }

        _clients = [.. Enumerable.Range(0, Clients).Select(_ => RunAsync())];
    }

    /// <summary>Waits until this many more requests have been answered, or one of them fails.</summary>
    public void WaitForAnswers(int count)
    {
        var goal = Volatile.Read(ref _answers) + count;
        Wait.Until(() => Volatile.Read(ref _answers) >= goal || Array.Exists(_clients, static client => client.IsFaulted));
    }

    /// <summary>Ends the load; throws what a request threw.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_clients);
    }

    public void Dispose() => _stop.Dispose();
}
