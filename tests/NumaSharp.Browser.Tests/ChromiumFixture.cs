using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>The system's Chromium, one for all tests. Where there is none they skip.</summary>
public sealed class ChromiumFixture : IAsyncLifetime
{
    private static readonly string[] s_names = ["chromium", "chromium-browser", "google-chrome"];

    private IPlaywright? _playwright;
    private IBrowser? _browser;

    public IBrowser Browser
    {
        get
        {
            Assert.SkipUnless(_browser is not null, $"None of {string.Join(", ", s_names)} is installed.");
            return _browser;
        }
    }

    public async ValueTask InitializeAsync()
    {
        var program = s_names.Select(ExternalProgram.Find).FirstOrDefault(static path => path is not null);
        if (program is null)
        {
            return;
        }

        Assertions.SetDefaultExpectTimeout((float)Wait.Limit.TotalMilliseconds);
        _playwright = await Playwright.CreateAsync();
        _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = program,

            // Its sandbox does not start as root; what it is shown is ours.
            ChromiumSandbox = false,
        });
    }

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }

        _playwright?.Dispose();
    }
}
