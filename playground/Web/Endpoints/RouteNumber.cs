using System.Globalization;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>A whole number in a route, from 0 to what the endpoint can do.</summary>
internal static class RouteNumber
{
    private const int LongestEcho = 40;

    public static bool TryRead(HttpContext context, string name, long maximum, out long number) =>
        long.TryParse(context.Request.RouteValues[name] as string, NumberStyles.None, CultureInfo.InvariantCulture, out number)
        && number <= maximum;

    public static Task RefuseAsync(HttpContext context, string name, long maximum)
    {
        var text = context.Request.RouteValues[name] as string ?? "";
        var shown = text.Length <= LongestEcho ? text : string.Concat(text.AsSpan(0, LongestEcho), "...");
        return Reply.RefuseAsync(context, $"{name}: '{shown}' is not allowed; allowed is a whole number from 0 to {maximum}.");
    }
}
