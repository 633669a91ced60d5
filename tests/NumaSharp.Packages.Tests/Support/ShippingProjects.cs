using System.Xml.Linq;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>The projects that become packages.</summary>
internal static class ShippingProjects
{
    public const string Tool = "NumaSharp.Tool";

    private const string Aspire = "NumaSharp.Aspire.Hosting";

    private static readonly string[] s_folders = ["hosting", "plugins", "src"];

    private static readonly XElement s_properties = XDocument.Load(Repository.PathOf("Directory.Build.props")).Root!;

    /// <summary>The folders of all of them, from the repository's root.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        .. s_folders
            .SelectMany(static folder => Directory.EnumerateFiles(
                Repository.PathOf(folder), "*.csproj", SearchOption.AllDirectories))
            .Select(static file => Path.GetRelativePath(Repository.Root, Path.GetDirectoryName(file)!))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Those that tests pack: the packages that the Aspire integration needs are not on every mirror.</summary>
    public static IReadOnlyList<string> Packed { get; } = [.. All.Where(static project => IdOf(project) != Aspire)];

    /// <summary>The next version's numbers.</summary>
    public static string VersionPrefix => PropertyOf("VersionPrefix");

    /// <summary>What makes it a preview; empty for a release.</summary>
    public static string VersionSuffix => PropertyOf("VersionSuffix");

    /// <summary>The name of the package.</summary>
    public static string IdOf(string project) => Path.GetFileName(project);

    private static string PropertyOf(string name) => s_properties.Descendants(name).Single().Value;
}
