using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// Checks from its metadata whether a file is an assembly built for this version's contracts: none of its code runs.
/// </summary>
internal static class PluginContract
{
    private static readonly Version s_own = typeof(INumaPlugin).Assembly.GetName().Version!;

    /// <exception cref="PluginRefusedException">It is not such an assembly.</exception>
    public static void Check(byte[] image)
    {
        var references = ReferencesOf(image);
        var contract = typeof(INumaPlugin).Assembly.GetName().Name!;
        if (!references.TryGetValue(contract, out var built))
        {
            throw PluginRefusedException.Because($"must be a plugin: it does not refer to the assembly {contract}");
        }

        if (!Fits(built, s_own))
        {
            throw PluginRefusedException.Because(
                $"was built for {contract} {built.ToString(3)}; this is {s_own.ToString(3)}, which takes plugins of "
                + (s_own.Major == 0 ? $"{s_own.ToString(2)}.x" : $"{s_own.Major}.0 to {s_own.ToString(2)}"));
        }
    }

    /// <summary>The rules of semantic versioning: before 1.0 a minor version may change anything.</summary>
    public static bool Fits(Version built, Version host) =>
        built.Major == host.Major && (host.Major == 0 ? built.Minor == host.Minor : built.Minor <= host.Minor);

    private static Dictionary<string, Version> ReferencesOf(byte[] image)
    {
        try
        {
            using var file = new PEReader(new MemoryStream(image, writable: false));
            if (!file.HasMetadata)
            {
                throw PluginRefusedException.Because("must be a .NET assembly; the file has no metadata");
            }

            var metadata = file.GetMetadataReader();
            return metadata.AssemblyReferences
                .Select(metadata.GetAssemblyReference)
                .DistinctBy(reference => metadata.GetString(reference.Name))
                .ToDictionary(
                    reference => metadata.GetString(reference.Name),
                    static reference => reference.Version,
                    StringComparer.Ordinal);
        }
        catch (BadImageFormatException exception)
        {
            throw PluginRefusedException.Because($"must be a .NET assembly: {exception.Message.TrimEnd('.')}", exception);
        }
    }
}
