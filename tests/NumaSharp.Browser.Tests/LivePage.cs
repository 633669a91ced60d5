using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>The page in a browser of its own, which must have nothing to complain about.</summary>
internal sealed class LivePage : IAsyncDisposable
{
    private readonly IBrowserContext _context;
    private readonly PageWatch _watch;

    private LivePage(IBrowserContext context, IPage page)
    {
        _context = context;
        _watch = new PageWatch(page);
        Page = page;
    }

    public IPage Page { get; }

    public IReadOnlyCollection<Uri> Requested => _watch.Requested;

    public ILocator Status => Page.Locator("#connection");

    /// <summary>Opens the page and waits until it shows something.</summary>
    public static async Task<LivePage> OpenAsync(IBrowser browser, Machine machine, BrowserNewContextOptions? options = null)
    {
        var context = await browser.NewContextAsync(options);
        context.SetDefaultTimeout((float)Wait.Limit.TotalMilliseconds);
        var live = new LivePage(context, await context.NewPageAsync());
        await live.Page.GotoAsync(machine.Page.AbsoluteUri);
        if (options?.JavaScriptEnabled != false)
        {
            await live.Page.WaitForSelectorAsync("body[data-states]");
        }

        return live;
    }

    public ILocator Section(string id) => Page.Locator($"#{id}");

    public ILocator Card(int node) => Section("nodes").GetByRole(AriaRole.Article, new() { Name = $"Node {node}" });

    /// <summary>The description behind a term of a card.</summary>
    public ILocator Term(int node, string term) =>
        Card(node).Locator($"xpath=.//dt[text()='{term}']/following-sibling::dd[1]");

    /// <summary>How many states it has shown.</summary>
    public async Task<int> StatesAsync() =>
        int.Parse((await Page.Locator("body").GetAttributeAsync("data-states"))!, provider: null);

    /// <summary>What a table's cells say, row by row, headers included.</summary>
    public async Task<string[][]> TableAsync(string section)
    {
        var rows = await Section(section).Locator("tr").AllAsync();
        return await Task.WhenAll(rows.Select(static async row =>
            (await row.Locator("th, td").AllTextContentsAsync()).ToArray()));
    }

    public Task ExpectStatusAsync(string text) => Assertions.Expect(Status).ToHaveTextAsync(text);

    /// <summary>Lets an interval of the machine pass, and waits until the page shows the state of then.</summary>
    public async Task PassIntervalAsync(Machine machine)
    {
        var before = await StatesAsync();
        machine.PassInterval();
        await Wait.UntilAsync(async () => await StatesAsync() > before);
    }

    /// <summary>Lets intervals pass until something has that text.</summary>
    public Task PassIntervalsUntilAsync(Machine machine, ILocator something, string text) => Wait.UntilAsync(
        async () =>
        {
            await PassIntervalAsync(machine);
            return await something.TextContentAsync() == text;
        },
        what: text);

    /// <summary>For what a test does to it on purpose.</summary>
    public void ForgetComplaints() => _watch.ForgetComplaints();

    public async ValueTask DisposeAsync()
    {
        var complaints = _watch.Complaints;

        // Leaving ends the stream, which is no failure.
        await _context.DisposeAsync();
        Assert.Empty(complaints);
    }
}
