using NumaSharp.Packages.Tests.Support;

[assembly: AssemblyFixture(typeof(PackedPackages))]

namespace NumaSharp.Packages.Tests.Support;

/// <summary>All packages, packed when a test first needs them.</summary>
public sealed class PackedPackages : IAsyncDisposable
{
    private readonly Lazy<Task<SourceCopy>> _sources = new(PackAsync);

    public async ValueTask DisposeAsync()
    {
        if (_sources is { IsValueCreated: true, Value.IsCompletedSuccessfully: true })
        {
            (await _sources.Value).Dispose();
        }
    }

    /// <summary>The sources and their packages; skips the test with the reason where they cannot be packed.</summary>
    internal Task<SourceCopy> GetAsync() => _sources.Value;

    private static async Task<SourceCopy> PackAsync()
    {
        var sources = new SourceCopy("first");
        try
        {
            foreach (var project in ShippingProjects.Packed)
            {
                await sources.PackAsync(project);
            }

            return sources;
        }
        catch
        {
            sources.Dispose();
            throw;
        }
    }
}
