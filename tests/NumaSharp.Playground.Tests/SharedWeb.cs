using NumaSharp.Playground.Tests;

[assembly: AssemblyFixture(typeof(SharedWeb))]

namespace NumaSharp.Playground.Tests;

/// <summary>A web app for all tests that only ask it, started by the first of them.</summary>
public sealed class SharedWeb : IAsyncDisposable
{
    private readonly Lazy<Task<StartedApp>> _app = new(static () => Web.StartAsync());

    public Task<StartedApp> GetAsync() => _app.Value;

    public async ValueTask DisposeAsync()
    {
        if (_app.IsValueCreated)
        {
            await (await _app.Value).DisposeAsync();
        }
    }
}
