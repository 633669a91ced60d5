using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace NumaSharp.Hosting.Page;

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
