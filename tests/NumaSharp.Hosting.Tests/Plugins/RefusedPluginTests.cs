using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Plugins;

public sealed class RefusedPluginTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public void Assembly_NotThere_SaysWhereItMustBe()
    {
        var missing = Path.Combine("plugins", "Nope.dll");
        Assert.Equal(
            $"Numa:Plugins:0:Assembly = '{missing}': must be a file below '{_root.PathOf("plugins")}': "
            + $"'{_root.PathOf("plugins", "Nope.dll")}' does not exist",
            PluginHost.RefusalOf(_root, missing));
    }

    [Theory]
    [InlineData("this is no assembly")]
    [InlineData("")]
    [InlineData("MZ")]
    public void Assembly_NoAssembly_IsRefused(string content) => Refuses(
        _root.Add("x.dll", System.Text.Encoding.UTF8.GetBytes(content)), "must be a .NET assembly");

    [Fact]
    public void Assembly_CutOff_IsRefused()
    {
        var whole = File.ReadAllBytes(_root.PathOf(_root.AddAcme()));
        for (var length = 64; length < whole.Length; length += 397)
        {
            var refusal = PluginHost.RefusalOf(_root, _root.Add("cut.dll", whole[..length]));
            Assert.StartsWith(
                $"Numa:Plugins:0:Assembly = '{Path.Combine("plugins", "cut.dll")}': ", refusal, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Assembly_WithoutTheContracts_IsNoPlugin() => Refuses(
        _root.Add("x.dll", File.ReadAllBytes(Path.Combine(ContentRoot.AcmeOutput, "Acme.Firmware.dll"))),
        "must be a plugin: it does not refer to the assembly NumaSharp");

    [Fact]
    public void Assembly_WithoutEntry_IsNoPlugin() => Refuses(
        _root.Add("x.dll", File.ReadAllBytes(typeof(NumaOptions).Assembly.Location)),
        "must be a plugin: it has no [assembly: NumaPlugin(typeof(...))] that names its entry");

    [Fact]
    public void Assembly_ConstructorThrows_SaysWhat() => Refuses(
        _root.Add("x.dll", EmittedPlugin.WhoseConstructorThrows()),
        "cannot be used: its constructor failed with InvalidOperationException: constructor says no");

    [Fact]
    public void Assembly_RegisterThrows_SaysWhat() => Refuses(
        _root.Add("x.dll", EmittedPlugin.WhoseRegisterThrows()),
        "cannot be used: registering its providers failed with InvalidOperationException: register says no");

    [Fact]
    public void Assembly_WithoutProviders_SaysWhatIsMissing() => Refuses(
        _root.Add("x.dll", EmittedPlugin.WithoutProviders()),
        "must register a provider (INumaTopologyProvider, INumaMemoryProvider or INumaAffinityProvider); it registers none");

    [Fact]
    public void Assembly_EntryCannotBeMade_SaysWhatItMustBe()
    {
        Refuses(
            _root.Add("x.dll", EmittedPlugin.WithoutPublicConstructor()),
            "must name an entry that can be created: a class with a public constructor without parameters");
        Refuses(
            _root.Add("y.dll", EmittedPlugin.WhoseEntryIsNoPlugin()),
            "must name an entry that implements INumaPlugin; Emitted.Entry does not");
    }

    [Fact]
    public void Assembly_ForOtherContracts_NamesBothVersions()
    {
        var image = File.ReadAllBytes(_root.PathOf(_root.AddAcme()));
        WriteContractVersion(image, 7, 3);
        var own = typeof(INumaPlugin).Assembly.GetName().Version!;
        Refuses(_root.Add("x.dll", image), $"was built for NumaSharp 7.3.0; this is {own.ToString(3)}, which takes plugins of ");
    }

    [Fact]
    public void Assembly_ItsDependencyIsMissing_SaysWhich()
    {
        var assembly = _root.AddAcme();
        File.Delete(_root.PathOf("plugins", "Acme.Firmware.dll"));
        var refusal = PluginHost.RefusalOf(_root, assembly, ("Topology:Provider", "Acme"));
        Assert.Contains("Acme.Firmware", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void Assembly_Empty_IsRefused()
    {
        Assert.Equal(
            "Numa:Plugins:0:Assembly = '': must be the path of an assembly below the content root's folder 'plugins'",
            PluginHost.RefusalOf(_root, "", ("Plugins:0:Sha256", new string('a', 64))));
    }

    [Theory]
    [InlineData("abc")]
    [InlineData("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")]
    public void Sha256_NoHash_IsRefused(string hash) => Assert.Equal(
        $"Numa:Plugins:0:Sha256 = '{hash}': must be a SHA-256 of 64 hexadecimal digits",
        PluginHost.RefusalOf(_root, _root.AddAcme(), ("Plugins:0:Sha256", hash)));

    [Fact]
    public void Load_NoCodeCanBeLoaded_SaysWhatToDo()
    {
        var services = new PluginServices(new NumaSection(null), new NumaFallbacks(), NullLoggerFactory.Instance, null);
        var loader = new PluginLoader(new PluginFolder(_root.Root), services, canLoadCode: false);
        var refusal = Assert.Throws<PluginRefusedException>(
            () => loader.Find(new NumaPluginOptions { Assembly = _root.AddAcme() })).Message;
        Assert.Contains("NativeAOT", refusal, StringComparison.Ordinal);
        Assert.Contains("register it in AddNuma()", refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0.1.0", "0.1.5", true)]
    [InlineData("0.2.0", "0.1.0", false)]
    [InlineData("0.1.0", "0.2.0", false)]
    [InlineData("1.0.0", "1.4.0", true)]
    [InlineData("1.5.0", "1.4.0", false)]
    [InlineData("1.0.0", "2.0.0", false)]
    public void Fits_Versions_GoBySemanticVersioning(string built, string host, bool fits) =>
        Assert.Equal(fits, PluginContract.Fits(Version.Parse(built), Version.Parse(host)));

    private void Refuses(string assembly, string reason) => Assert.StartsWith(
        $"Numa:Plugins:0:Assembly = '{assembly}': {reason}", PluginHost.RefusalOf(_root, assembly), StringComparison.Ordinal);

    // ECMA-335 II.22.5: a row begins with the four numbers of the version.
    private static void WriteContractVersion(byte[] image, ushort major, ushort minor)
    {
        using var file = new PEReader(new MemoryStream(image));
        var metadata = file.GetMetadataReader();
        var row = metadata.AssemblyReferences.First(handle =>
            metadata.StringComparer.Equals(metadata.GetAssemblyReference(handle).Name, "NumaSharp"));
        var offset = file.PEHeaders.MetadataStartOffset
            + metadata.GetTableMetadataOffset(TableIndex.AssemblyRef)
            + ((MetadataTokens.GetRowNumber(row) - 1) * metadata.GetTableRowSize(TableIndex.AssemblyRef));
        BitConverter.TryWriteBytes(image.AsSpan(offset), major);
        BitConverter.TryWriteBytes(image.AsSpan(offset + 2), minor);
    }
}
