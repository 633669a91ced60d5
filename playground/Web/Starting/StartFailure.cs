using System.Net.Sockets;
using Microsoft.Extensions.Options;
using NumaSharp.Playground.Web.Addresses;

namespace NumaSharp.Playground.Web.Starting;

/// <summary>Start failures that are not defects of the program: settings, and addresses that are not available.</summary>
internal static class StartFailure
{
    public const int ExitCode = 1;

    /// <summary>The lines to print, each beginning with the key of the setting; nothing for a defect.</summary>
    public static IReadOnlyList<string> Explain(Exception exception, WebAddressOptions addresses) => exception switch
    {
        OptionsValidationException invalid => [.. invalid.Failures.Select(OneLine)],
        AggregateException all => ExplainAll(all, addresses),
        IOException or SocketException => [OneLine($"{KeyOf(exception.Message, addresses)}: {exception.Message}")],
        _ => [],
    };

    private static string[] ExplainAll(AggregateException all, WebAddressOptions addresses)
    {
        var lines = all.InnerExceptions.Select(inner => Explain(inner, addresses)).ToArray();
        return lines.Any(static few => few.Count == 0) ? [] : [.. lines.SelectMany(static few => few)];
    }

    private static string KeyOf(string message, WebAddressOptions addresses)
    {
        bool Names(string url) => url.Length > 0 && message.Contains(url, StringComparison.OrdinalIgnoreCase);
        return Names(addresses.H2cUrl) ? WebAddressOptions.H2cKey
            : Names(addresses.HttpsUrl) ? WebAddressOptions.HttpsKey
            : Names(addresses.RawUrl) ? WebAddressOptions.RawKey
            : WebAddressOptions.UrlsKey;
    }

    private static string OneLine(string text) => text.ReplaceLineEndings(" ");
}
