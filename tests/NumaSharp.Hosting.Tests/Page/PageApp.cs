using System.Text.Json;
using Microsoft.AspNetCore.Builder;

namespace NumaSharp.Hosting.Tests.Page;

/// <summary>An application that has mapped the page, and its clients.</summary>
internal sealed class PageApp : IAsyncDisposable
{
    private readonly WebApplication _app;

    private PageApp(WebApplication app)
    {
        _app = app;
        Address = new Uri(app.Urls.Single());
        Client = TestHttpClient.Create(Address);
    }

    public Uri Address { get; }

    public HttpClient Client { get; }

    public IServiceProvider Services => _app.Services;

    public static async Task<PageApp> StartAsync(WebApplication app, Action<WebApplication> map)
    {
        map(app);
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new PageApp(app);
    }

    public async Task<JsonElement> StateAsync()
    {
        using var document = JsonDocument.Parse(await Client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));
        return document.RootElement.Clone();
    }

    public Task StopAsync() => _app.StopAsync();

    public ValueTask DisposeAsync()
    {
        Client.Dispose();
        return _app.DisposeAsync();
    }
}
