using System.Globalization;
using System.Text;

namespace NumaSharp.Playground.Web.Endpoints;

internal static class Reply
{
    public const string Text = "text/plain; charset=utf-8";
    public const string Binary = "application/octet-stream";

    /// <summary>A whole body in one write, without an allocation when the transport takes it at once.</summary>
    public static Task WholeAsync(HttpContext context, string contentType, ReadOnlyMemory<byte> body)
    {
        context.Response.ContentType = contentType;
        context.Response.ContentLength = body.Length;
        var flush = context.Response.BodyWriter.WriteAsync(body);
        if (!flush.IsCompletedSuccessfully)
        {
            return flush.AsTask();
        }

        flush.GetAwaiter().GetResult();
        return Task.CompletedTask;
    }

    public static Task TextAsync(HttpContext context, string text) => WholeAsync(context, Text, Encoding.UTF8.GetBytes(text));

    public static Task NumberAsync(HttpContext context, long number) =>
        TextAsync(context, number.ToString(CultureInfo.InvariantCulture));

    public static Task RefuseAsync(HttpContext context, string reason)
    {
        context.Response.StatusCode = StatusCodes.Status400BadRequest;
        return TextAsync(context, reason);
    }
}
