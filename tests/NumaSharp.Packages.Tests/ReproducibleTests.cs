using System.Security.Cryptography;
using NumaSharp.Packages.Tests.Support;

namespace NumaSharp.Packages.Tests;

/// <summary>The same sources give the same bytes, wherever they are built.</summary>
[Trait("tier", "deep")]
public sealed class ReproducibleTests(PackedPackages packages)
{
    private const string Project = "hosting/NumaSharp.Hosting";

    // The analyzers are built when this package is packed, and not for the packages that depend on it.
    private const string WithAnalyzers = "src/NumaSharp";

    private static readonly string s_id = ShippingProjects.IdOf(Project);

    [Fact]
    public async Task Pack_InTwoFolders_GivesTheSameBytes()
    {
        var first = await packages.GetAsync();
        using var second = new SourceCopy("a second folder with a longer name");
        await second.PackAsync(Project);
        await second.PackAsync(WithAnalyzers);

        // Also those of the libraries that it needs, each of which is in a package of its own.
        Assert.Equal(HashAssemblies(first), HashAssemblies(second));
        foreach (var id in (string[])[s_id, ShippingProjects.IdOf(WithAnalyzers)])
        {
            await AssertSameAsync(first.PathOf(id, ".nupkg"), second.PathOf(id, ".nupkg"));
            await AssertSameAsync(first.PathOf(id, ".snupkg"), second.PathOf(id, ".snupkg"));
        }
    }

    // The parts first, because they say what differs.
    private static async Task AssertSameAsync(string first, string second)
    {
        Assert.Equal(HashParts(first), HashParts(second));
        Assert.Equal(
            await File.ReadAllBytesAsync(first, TestContext.Current.CancellationToken),
            await File.ReadAllBytesAsync(second, TestContext.Current.CancellationToken));
    }

    private static string[] HashAssemblies(SourceCopy sources)
    {
        var folder = Path.Combine(sources.Root, "artifacts", "bin", s_id, "release");
        string[] files =
        [
            .. Directory.EnumerateFiles(folder, "NumaSharp*.dll"), .. Directory.EnumerateFiles(folder, "NumaSharp*.pdb"),
        ];
        Assert.Equal(8, files.Length);
        return [.. files.Select(static file => $"{Path.GetFileName(file)} {Hash(File.ReadAllBytes(file))}").Order()];
    }

    private static string[] HashParts(string path)
    {
        using var package = new PackageFile(path);
        return [.. package.Entries.Select(entry => $"{entry} {Hash(package.Read(entry))}")];
    }

    private static string Hash(byte[] bytes) => Convert.ToHexString(SHA256.HashData(bytes));
}
