using System.Collections.Concurrent;
using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>What the browser requests for a page, and what it complains about: errors, warnings, requests that fail.</summary>
internal sealed class PageWatch
{
    private readonly ConcurrentQueue<string> _complaints = [];
    private readonly ConcurrentQueue<Uri> _requested = [];

    public PageWatch(IPage page)
    {
        // What the content security policy forbids is an error on the console, too.
        page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning")
            {
                _complaints.Enqueue($"{message.Location}: {message.Text}");
            }
        };
        page.PageError += (_, error) => _complaints.Enqueue(error);
        page.RequestFailed += (_, request) => _complaints.Enqueue($"{request.Url}: {request.Failure}");
        page.Request += (_, request) => _requested.Enqueue(new Uri(request.Url));
    }

    /// <summary>So far.</summary>
    public IReadOnlyCollection<string> Complaints => [.. _complaints];

    /// <summary>So far.</summary>
    public IReadOnlyCollection<Uri> Requested => [.. _requested];

    public void ForgetComplaints() => _complaints.Clear();
}
