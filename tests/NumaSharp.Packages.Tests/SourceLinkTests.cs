using System.Reflection.Metadata;
using System.Text.Json;
using NumaSharp.Packages.Tests.Support;

namespace NumaSharp.Packages.Tests;

/// <summary>A debugger finds every source of a package: in its symbols, or at the address of its commit.</summary>
[Trait("tier", "deep")]
public sealed class SourceLinkTests(PackedPackages packages)
{
    // What a build has made. No commit has it.
    private const string Artifacts = $"{PackageTests.SourceRoot}artifacts/";

    // Kinds of the portable PDB format's CustomDebugInformation.
    private static readonly Guid s_sourceLink = new("CC110556-A091-4D38-9FEC-25AB9A351A6A");
    private static readonly Guid s_embeddedSource = new("0E8A571B-6926-466E-B4AD-8AB04611F5FE");

    // The tool has no package of symbols: they are with its assemblies.
    [Theory]
    [MemberData(nameof(PackageTests.IdsWithAssemblies), MemberType = typeof(PackageTests))]
    public async Task Sources_OfAPackage_AreInItsSymbolsOrAtItsCommit(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, id == ShippingProjects.Tool ? ".nupkg" : ".snupkg"));
        string[] symbols =
        [
            .. from entry in package.Entries
               let file = Path.GetFileName(entry)
               where file.StartsWith("NumaSharp", StringComparison.Ordinal) && Path.GetExtension(file) == ".pdb"
               select entry,
        ];
        Assert.NotEmpty(symbols);
        Assert.All(symbols, entry => AssertSources(package.Read(entry)));
    }

    private static void AssertSources(byte[] symbols)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(symbols, writable: false));
        var reader = provider.GetMetadataReader();
        using var link = JsonDocument.Parse(Assert.Single(Find(reader, EntityHandle.ModuleDefinition, s_sourceLink)));
        var rule = Assert.Single(link.RootElement.GetProperty("documents").EnumerateObject());
        Assert.Equal(
            ($"{PackageTests.SourceRoot}*", $"{SourceCopy.CommitUrl}*"), (rule.Name, rule.Value.GetString()));
        string[] lost =
        [
            .. from handle in reader.Documents
               where !Find(reader, handle, s_embeddedSource).Any()
               let name = reader.GetString(reader.GetDocument(handle).Name)
               where !IsInTheRepository(name)
               select name,
        ];
        Assert.Empty(lost);
    }

    private static bool IsInTheRepository(string document) =>
        document.StartsWith(PackageTests.SourceRoot, StringComparison.Ordinal)
        && !document.StartsWith(Artifacts, StringComparison.Ordinal)
        && File.Exists(Repository.PathOf(document[PackageTests.SourceRoot.Length..]));

    private static IEnumerable<byte[]> Find(MetadataReader reader, EntityHandle parent, Guid kind) =>
        from handle in reader.GetCustomDebugInformation(parent)
        let information = reader.GetCustomDebugInformation(handle)
        where reader.GetGuid(information.Kind) == kind
        select reader.GetBlobBytes(information.Value);
}
