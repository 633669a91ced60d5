using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>The system's Chromium, one for all tests. Where there is none, or it does not start, they skip.</summary>
public sealed class ChromiumFixture : IAsyncLifetime
{
    private static readonly string[] s_names = ["chromium", "chromium-browser", "google-chrome"];

    private IPlaywright? _playwright;
    private IBrowser? _browser;
    private string _whyNot = $"None of {string.Join(", ", s_names)} is installed.";

    public IBrowser Browser
    {
        get
        {
            Assert.SkipUnless(_browser is not null, _whyNot);
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

        var patience = (float)Wait.Limit.TotalMilliseconds;
        Assertions.SetDefaultExpectTimeout(patience);
        _playwright = await Playwright.CreateAsync();
        var options = new BrowserTypeLaunchOptions
        {
            ExecutablePath = program,

            // Its sandbox does not start as root; what it is shown is ours.
            ChromiumSandbox = false,

            // Its pages need no process each.
            Args = ["--in-process-gpu", "--renderer-process-limit=1"],
            Timeout = patience,
        };
        try
        {
            _browser = await _playwright.Chromium.LaunchAsync(options);
        }
        catch (PlaywrightException exception)
        {
            // Ubuntu's package of that name has a program that only says where to get another.
            _whyNot = $"{program} does not start: {exception.Message}";
        }
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
