using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

/// <summary>What handlers of tests have in common.</summary>
internal static class Replies
{
    public static Task StatusAsync(HttpContext context, int status)
    {
        context.Response.StatusCode = status;
        return Task.CompletedTask;
    }

    public static Task TextAsync(HttpContext context, string text)
    {
        context.Response.ContentLength = Encoding.UTF8.GetByteCount(text);
        return context.Response.WriteAsync(text);
    }

    /// <summary>A body of the pattern, with its length announced or chunked.</summary>
    public static RequestDelegate Download(long length, bool chunked = false) => async context =>
    {
        context.Response.ContentLength = chunked ? null : length;
        await Pattern.WriteAsync(context.Response.Body, length);
    };

    /// <summary>Checks the request's body against the pattern and answers its length.</summary>
    public static async Task VerifyUpload(HttpContext context)
    {
        var length = await Pattern.VerifyAsync(context.Request.Body);
        await TextAsync(context, length.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Sends back what comes, as it comes.</summary>
    public static Task Echo(HttpContext context)
    {
        context.Response.ContentLength = context.Request.ContentLength;
        return context.Request.BodyReader.CopyToAsync(context.Response.BodyWriter);
    }
}
