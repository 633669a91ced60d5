namespace NumaSharp.Playground.Web.Addresses;

/// <summary>The configured addresses of this process.</summary>
internal sealed class WebAddressOptions
{
    public const string UrlsKey = "Urls";
    public const string H2cKey = "H2cUrl";
    public const string HttpsKey = "HttpsUrl";
    public const string RawKey = "RawUrl";

    public IReadOnlyList<string> Urls { get; set; } = [];

    /// <summary>HTTP/2 with prior knowledge; empty for none.</summary>
    public string H2cUrl { get; set; } = "";

    /// <summary>HTTP/1.1 and HTTP/2 over TLS; empty for none.</summary>
    public string HttpsUrl { get; set; } = "";

    /// <summary>The transport alone, without Kestrel: every byte comes back; empty for none.</summary>
    public string RawUrl { get; set; } = "";

    /// <summary>
    /// A Urls from a stronger source than an extra address (<c>--urls</c> against appsettings.json) turns that address off, so
    /// that a second copy of the app needs one argument only.
    /// </summary>
    public void Read(IConfigurationRoot configuration)
    {
        Urls = (configuration[UrlsKey] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        var strength = Strength(configuration, UrlsKey);
        H2cUrl = Extra(configuration, H2cKey, strength);
        HttpsUrl = Extra(configuration, HttpsKey, strength);
        RawUrl = Extra(configuration, RawKey, strength);
    }

    /// <summary>
    /// Every address of Kestrel's, HTTP/2 without TLS last. Listen() would cancel Urls (Kestrel takes either addresses or
    /// endpoints), so the extra ones are addresses too.
    /// </summary>
    public IReadOnlyList<string> All() =>
        [.. Urls.Append(HttpsUrl).Append(H2cUrl).Where(static url => url.Length > 0)];

    public void CopyTo(WebAddressOptions other)
    {
        other.Urls = Urls;
        other.H2cUrl = H2cUrl;
        other.HttpsUrl = HttpsUrl;
        other.RawUrl = RawUrl;
    }

    private static string Extra(IConfigurationRoot configuration, string key, int strengthOfUrls) =>
        Strength(configuration, key) >= strengthOfUrls ? (configuration[key] ?? "").Trim() : "";

    private static int Strength(IConfigurationRoot configuration, string key)
    {
        var strength = -1;
        var index = 0;
        foreach (var provider in configuration.Providers)
        {
            if (provider.TryGet(key, out _))
            {
                strength = index;
            }

            index++;
        }

        return strength;
    }
}
