using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>
/// A page of the site in a browser of its own, which must have nothing to complain about and request nothing from another host.
/// </summary>
internal sealed class SitePage : IAsyncDisposable
{
    private readonly IBrowserContext _context;
    private readonly PageWatch _watch;
    private readonly Uri _site;

    private SitePage(IBrowserContext context, IPage page, Uri site)
    {
        _context = context;
        _watch = new PageWatch(page);
        _site = site;
        Page = page;
    }

    public IPage Page { get; }

    /// <summary>Opens a page and waits until it has all that it asks for.</summary>
    public static async Task<SitePage> OpenAsync(
        IBrowser browser, Uri site, string page, BrowserNewContextOptions? options = null)
    {
        var context = await browser.NewContextAsync(options);
        context.SetDefaultTimeout((float)Wait.Limit.TotalMilliseconds);
        var opened = new SitePage(context, await context.NewPageAsync(), site);
        await opened.Page.GotoAsync(new Uri(site, page).AbsoluteUri, new() { WaitUntil = WaitUntilState.NetworkIdle });
        return opened;
    }

    public async ValueTask DisposeAsync()
    {
        var (complaints, requested) = (_watch.Complaints, _watch.Requested);
        await _context.DisposeAsync();
        Assert.Empty(complaints);
        Assert.DoesNotContain(requested, uri => uri.Scheme is "http" or "https" && uri.Authority != _site.Authority);
    }
}
