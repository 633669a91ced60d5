using System.Xml.Linq;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>The projects that become packages.</summary>
internal static class ShippingProjects
{
    public const string Tool = "NumaSharp.Tool";
    public const string Templates = "NumaSharp.Templates";

    private const string Aspire = "NumaSharp.Aspire.Hosting";

    private static readonly string[] s_folders = ["hosting", "plugins", "src", "templates"];

    private static readonly XElement s_properties = XDocument.Load(Repository.PathOf("Directory.Build.props")).Root!;

    /// <summary>The folders of all of them, from the repository's root.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        // Not further down: a template has a project, too.
        .. s_folders
            .SelectMany(static folder => Directory.EnumerateDirectories(Repository.PathOf(folder)))
            .Where(static folder => Directory.EnumerateFiles(folder, "*.csproj").Any())
            .Select(static folder => Path.GetRelativePath(Repository.Root, folder))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Those that tests pack: the packages that the Aspire integration needs are not on every mirror.</summary>
    public static IReadOnlyList<string> Packed { get; } = [.. All.Where(static project => IdOf(project) != Aspire)];

    /// <summary>Those of them to which an application refers.</summary>
    public static IReadOnlyList<string> Libraries { get; } =
        [.. Packed.Where(static project => IdOf(project) is not (Tool or Templates))];

    /// <summary>The next version's numbers.</summary>
    public static string VersionPrefix => PropertyOf("VersionPrefix")!;

    /// <summary>What makes it a preview; empty for a release.</summary>
    public static string VersionSuffix => PropertyOf("VersionSuffix") ?? "";

    /// <summary>The name of the package.</summary>
    public static string IdOf(string project) => Path.GetFileName(project);

    private static string? PropertyOf(string name) => s_properties.Descendants(name).SingleOrDefault()?.Value;
}
