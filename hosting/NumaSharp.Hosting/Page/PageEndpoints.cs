using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Net.Http.Headers;

namespace NumaSharp.Hosting.Page;

/// <summary>The page, its files, its JSON and its stream of events, all below one path.</summary>
internal static class PageEndpoints
{
    private const string Folder = "NumaSharp.Hosting.Page.";
    private const string HtmlType = "text/html; charset=utf-8";
    private const string BaseMark = "{{base}}";

    private static readonly (string Name, string Type)[] s_files =
    [
        ("page.css", "text/css; charset=utf-8"),
        ("page.js", "text/javascript; charset=utf-8"),
        ("views.js", "text/javascript; charset=utf-8"),
        ("charts.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ];

    public static void MapTo(RouteGroupBuilder group)
    {
        var html = Encoding.UTF8.GetString(Read("page.html"));
        group.MapMethods("", [HttpMethods.Get, HttpMethods.Head], context => SendPageAsync(context, html));
        foreach (var (name, type) in s_files)
        {
            var asset = new PageAsset(Read(name), type);
            group.MapMethods(name, [HttpMethods.Get, HttpMethods.Head], asset.SendAsync);
        }

        group.MapGet("state", SendStateAsync);
        group.MapGet("events", SendEventsAsync);
    }

    // Links are relative to the page's own address, with or without a trailing slash: a proxy may map it to another path.
    private static Task SendPageAsync(HttpContext context, string html)
    {
        var path = (context.Request.PathBase + context.Request.Path).Value ?? "/";
        var last = path[(path.LastIndexOf('/') + 1)..];
        var folder = last.Length == 0 ? "" : Uri.EscapeDataString(last) + "/";
        var page = html.Replace(BaseMark, HtmlEncoder.Default.Encode(folder), StringComparison.Ordinal);
        return new PageAsset(Encoding.UTF8.GetBytes(page), HtmlType).SendAsync(context);
    }

    private static async Task SendStateAsync(HttpContext context)
    {
        PageAsset.Protect(context.Response);
        context.Response.Headers.CacheControl = "no-store";
        context.Response.ContentType = "application/json; charset=utf-8";
        await context.Response.WriteAsync(FeedOf(context).Read(), context.RequestAborted).ConfigureAwait(false);
    }

    // A stream has no end of its own: without this token a stop would wait for the page's viewers.
    private static async Task SendEventsAsync(HttpContext context)
    {
        PageAsset.Protect(context.Response);

        // nginx would buffer states up to 8 KiB.
        context.Response.Headers["X-Accel-Buffering"] = "no";
        var stopping = context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        var states = FeedOf(context).ReadAllAsync(end.Token);
        await TypedResults.ServerSentEvents(states).ExecuteAsync(context).ConfigureAwait(false);
    }

    private static PageDataFeed FeedOf(HttpContext context) =>
        context.RequestServices.GetRequiredService<PageDataFeed>();

    private static byte[] Read(string name)
    {
        using var stream = typeof(PageEndpoints).Assembly.GetManifestResourceStream(Folder + name)!;
        var content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }
}

/// <summary>A file of the page, embedded in the assembly. Browsers revalidate their copy each time.</summary>
internal sealed class PageAsset
{
    // No foreign content, nothing inline, no framing.
    private const string ContentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'";

    private readonly byte[] _content;
    private readonly string _type;
    private readonly string _tag;

    public PageAsset(byte[] content, string type)
    {
        _content = content;
        _type = type;
        _tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(content).AsSpan(0, 12))}\"";
    }

    /// <summary>Sets the security headers of every response of the page.</summary>
    public static void Protect(HttpResponse response)
    {
        response.Headers.ContentSecurityPolicy = ContentSecurityPolicy;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
    }

    public async Task SendAsync(HttpContext context)
    {
        var response = context.Response;
        Protect(response);
        response.Headers.ETag = _tag;
        response.Headers.CacheControl = "no-cache";
        if (context.Request.Headers.IfNoneMatch.Any(IsOurs))
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        response.ContentType = _type;
        response.ContentLength = _content.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await response.Body.WriteAsync(_content, context.RequestAborted).ConfigureAwait(false);
        }
    }

    // A proxy may have weakened the tag.
    private bool IsOurs(string? header) =>
        EntityTagHeaderValue.TryParseList([header ?? ""], out var tags)
        && tags.Any(tag => tag.Tag == _tag || tag.Equals(EntityTagHeaderValue.Any));
}
