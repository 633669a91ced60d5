using System.Text.Json;
using System.Text.RegularExpressions;

namespace NumaSharp.ContainerTests;

/// <summary>The web app in a container, which answers.</summary>
internal sealed partial class WebContainer : IAsyncDisposable
{
    /// <summary>A free port of the machine's own loopback interface: the container is in its network.</summary>
    public static readonly string[] Addresses = ["--Urls=http://127.0.0.1:0", "--H2cUrl="];

    private readonly HttpClient _client;

    private WebContainer(TestContainer container, Uri address)
    {
        Container = container;
        _client = TestHttpClient.Create(address);
    }

    public TestContainer Container { get; }

    public Uri Address => _client.BaseAddress!;

    /// <summary>Waits until it listens.</summary>
    public static async Task<WebContainer> OpenAsync(TestContainer container)
    {
        try
        {
            var log = await WaitForLogAsync(container, static log => ListensOn().IsMatch(log), "It does not listen");
            return new WebContainer(container, new Uri(ListensOn().Match(log).Groups["address"].Value));
        }
        catch
        {
            await container.DisposeAsync();
            throw;
        }
    }

    public Task<string> GetAsync(string path) => _client.GetStringAsync(path);

    public async Task<byte[]> EchoAsync(byte[] body)
    {
        using var answer = await _client.PostAsync("/echo", new ByteArrayContent(body));
        answer.EnsureSuccessStatusCode();
        return await answer.Content.ReadAsByteArrayAsync();
    }

    /// <summary>What the live page shows.</summary>
    public async Task<JsonElement> ReadStateAsync()
    {
        using var document = JsonDocument.Parse(await GetAsync("/numa/state"));
        return document.RootElement.Clone();
    }

    /// <summary>How often it has logged an event.</summary>
    public Task<int> CountEventsAsync(int id) => CountInLogAsync(HeadOf(id));

    /// <summary>Waits for a text in the log, so many times.</summary>
    public Task WaitForLogAsync(string text, int count) =>
        WaitForLogAsync(Container, log => log.Split(text).Length > count, $"'{text}' is not there {count} times");

    /// <summary>Waits until it has logged an event, which is then there once.</summary>
    public Task AssertLoggedOnceAsync(int id) => AssertInLogOnceAsync(HeadOf(id));

    /// <summary>Waits until a text is in the log, which is then there once.</summary>
    public async Task AssertInLogOnceAsync(string text)
    {
        await WaitForLogAsync(text, 1);
        Assert.Equal(1, await CountInLogAsync(text));
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await Container.DisposeAsync();
    }

    private static string HeadOf(int eventId) => $"NumaSharp.Hosting[{eventId}]";

    private async Task<int> CountInLogAsync(string text) => (await Container.ReadLogAsync()).Split(text).Length - 1;

    private static async Task<string> WaitForLogAsync(
        TestContainer container, Func<string, bool> isComplete, string otherwise)
    {
        var log = "";
        await Wait.UntilAsync(
            async () => isComplete(log = await container.ReadLogAsync()), () => $"{otherwise}: {log}", "its log");
        return log;
    }

    [GeneratedRegex("Now listening on: (?<address>http://[0-9.:]+)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex ListensOn();
}
