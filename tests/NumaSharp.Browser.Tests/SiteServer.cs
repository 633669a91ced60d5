using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Browser.Tests;

/// <summary>Serves the files that <c>eng/site</c> has made. Where there are none, tests skip.</summary>
public sealed class SiteServer : IAsyncLifetime
{
    private static readonly string s_folder = Repository.PathOf("artifacts", "site");

    private PhysicalFileProvider? _files;
    private WebApplication? _app;

    /// <summary>Where the front page is.</summary>
    public Uri Address => new(Started.Urls.Single());

    /// <summary>The pages, as paths from the front page.</summary>
    public IEnumerable<string> Pages
    {
        get
        {
            _ = Started;
            return Directory.EnumerateFiles(s_folder, "*.html", SearchOption.AllDirectories)
                .Select(static file => Path.GetRelativePath(s_folder, file).Replace(Path.DirectorySeparatorChar, '/'));
        }
    }

    private WebApplication Started
    {
        get
        {
            Assert.SkipUnless(_app is not null, "The site is not built: eng/site does it.");
            return _app;
        }
    }

    public static string PathOf(string page) => Path.Combine(s_folder, page);

    public async ValueTask InitializeAsync()
    {
        if (!File.Exists(PathOf("index.html")))
        {
            return;
        }

        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.AllowSlowClients();
        _files = new PhysicalFileProvider(s_folder);
        _app = builder.Build();
        _app.UseFileServer(new FileServerOptions
        {
            FileProvider = _files,
            StaticFileOptions = { ServeUnknownFileTypes = true },
        });
        await _app.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_app is not null)
        {
            await _app.StopAsync();
            await _app.DisposeAsync();
        }

        _files?.Dispose();
    }
}
