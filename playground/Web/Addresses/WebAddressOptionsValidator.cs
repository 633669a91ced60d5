using Microsoft.Extensions.Options;

namespace NumaSharp.Playground.Web.Addresses;

internal sealed class WebAddressOptionsValidator : IValidateOptions<WebAddressOptions>
{
    public ValidateOptionsResult Validate(string? name, WebAddressOptions options)
    {
        var errors = new List<string>();
        if (options.Urls.Count == 0)
        {
            errors.Add(Refusal(""));
        }

        foreach (var url in options.Urls.Where(static url => !WebAddress.IsValid(url, scheme: null)))
        {
            errors.Add(Refusal(url));
        }

        CheckExtra(options, WebAddressOptions.H2cKey, options.H2cUrl, "http", "http://127.0.0.1:5081", errors);
        CheckExtra(options, WebAddressOptions.HttpsKey, options.HttpsUrl, "https", "https://127.0.0.1:5443", errors);
        CheckExtra(options, WebAddressOptions.RawKey, options.RawUrl, "http", "http://127.0.0.1:5082", errors);
        return errors.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(errors);
    }

    private static string Refusal(string url) =>
        $"{WebAddressOptions.UrlsKey}: '{url}' is not allowed; allowed is such as http://127.0.0.1:5080, ';' between two.";

    private static void CheckExtra(
        WebAddressOptions options, string key, string url, string scheme, string example, List<string> errors)
    {
        if (url.Length == 0)
        {
            return;
        }

        if (!WebAddress.IsValid(url, scheme))
        {
            errors.Add($"{key}: '{url}' is not allowed; allowed is one {scheme} address such as {example}, or nothing.");
            return;
        }

        var valid = options.Urls.Where(static other => WebAddress.IsValid(other, scheme: null));
        if (valid.Any(other => WebAddress.Collide(url, other)))
        {
            errors.Add($"{key}: '{url}' is not allowed; {WebAddressOptions.UrlsKey} has that port, it needs one of its own.");
        }
    }
}
