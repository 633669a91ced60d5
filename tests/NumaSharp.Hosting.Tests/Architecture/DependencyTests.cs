using System.Xml.Linq;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>The directions of decision 1 (the house), between projects, assemblies and the folders of NumaSharp.</summary>
public sealed class DependencyTests
{
    private const string Core = "src/NumaSharp";

    private static readonly string[] s_shipping = ["src", "hosting", "plugins"];
    private static readonly string[] s_all = [.. s_shipping, "playground", "tests"];

    private static readonly Dictionary<string, string[]> s_projects = new()
    {
        ["NumaSharp"] = [],
        ["NumaSharp.Transport.Epoll"] = ["NumaSharp"],
        ["NumaSharp.Udp"] = ["NumaSharp"],
        ["NumaSharp.Hosting"] = ["NumaSharp", "NumaSharp.Transport.Epoll", "NumaSharp.Udp"],
        ["NumaSharp.Tool"] =
            ["NumaSharp", "NumaSharp.Transport.Epoll", "NumaSharp.Udp", "NumaSharp.Hosting", "NumaSharp.Plugins.Windows"],
        ["NumaSharp.Aspire.Hosting"] = ["NumaSharp"],
    };

    private static readonly Dictionary<string, string[]> s_folders = new()
    {
        ["Interop"] = [],
        ["Background"] = ["Interop"],
        ["Machine"] = ["Background", "Interop"],
        ["Plan"] = ["Machine", "Background", "Interop"],
        ["Memory"] = ["Plan", "Machine", "Background", "Interop"],
        ["Scheduling"] = ["Plan", "Machine", "Background", "Interop"],
        ["Loops"] = ["Memory", "Plan", "Machine", "Background", "Interop"],
        ["Sockets"] = ["Plan", "Machine", "Interop"],
        ["Plugins"] = ["Machine"],
    };

    public static TheoryData<string> Projects =>
    [
        .. s_shipping
            .Select(static folder => Repository.PathOf(folder))
            .Where(Directory.Exists)
            .SelectMany(static folder => Directory.EnumerateFiles(folder, "*.csproj", SearchOption.AllDirectories))
            .Select(static file => Path.GetRelativePath(Repository.Root, file)),
    ];

    // All that ship from this solution.
    public static TheoryData<string> Assemblies =>
    [
        .. from row in Projects
           let name = Path.GetFileNameWithoutExtension(row.Data)
           where name != "NumaSharp.Aspire.Hosting"
           select name,
    ];

    [Theory]
    [MemberData(nameof(Projects))]
    public void Project_RefersOnlyToThoseBelowIt(string file)
    {
        var name = Path.GetFileNameWithoutExtension(file);
        Assert.Empty(ReferencesOf(file, "ProjectReference")
            .Select(static include => Path.GetFileNameWithoutExtension(include.Replace('\\', '/')))
            .Except(AllowedFor(name)));
    }

    // What two projects need is in one of them: a second copy has statics of its own. The mapping of the Aspire package is
    // compiled into tests here, because this solution does without Aspire.
    [Fact]
    public void Projects_CompileNoSourceOfOthers()
    {
        var linked =
            from folder in s_all
            from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.csproj", SearchOption.AllDirectories)
            let path = Path.GetRelativePath(Repository.Root, file)
            from include in ReferencesOf(path, "Compile")
            where Path.GetRelativePath(Path.GetDirectoryName(file)!, Path.Combine(Path.GetDirectoryName(file)!, include))
                .StartsWith("..", StringComparison.Ordinal)
            select $"{path}: {include}";
        Assert.Equal(
            [
                "tests/NumaSharp.Hosting.Tests/NumaSharp.Hosting.Tests.csproj: "
                    + "../../hosting/NumaSharp.Aspire.Hosting/Mapping/*.cs",
            ],
            linked);
    }

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void Assembly_RefersOnlyToThoseBelowIt(string name)
    {
        using var assembly = AssemblyMetadata.Open(name);
        Assert.Empty(assembly.ReferencedAssemblies
            .Where(static reference => reference.StartsWith("NumaSharp", StringComparison.Ordinal))
            .Except(AllowedFor(name)));
    }

    [Fact]
    public void NumaSharp_NeedsNothingButTheContractsOfDependencyInjectionAndLogging()
    {
        using var assembly = AssemblyMetadata.Open("NumaSharp");
        string[] contracts =
            ["Microsoft.Extensions.DependencyInjection.Abstractions", "Microsoft.Extensions.Logging.Abstractions"];
        Assert.Equal(
            contracts,
            assembly.ReferencedAssemblies
                .Where(static reference => !reference.StartsWith("System.", StringComparison.Ordinal))
                .Order());
        const string File = "src/NumaSharp/NumaSharp.csproj";
        Assert.Equal(contracts, ReferencesOf(File, "PackageReference"));
        Assert.Empty(ReferencesOf(File, "FrameworkReference"));
    }

    [Fact]
    public void Plugins_ReferToNumaSharpAlone() => Assert.Equal(["NumaSharp"], AllowedFor("NumaSharp.Plugins.Any"));

    [Fact]
    public void Folders_OfNumaSharp_ReferOnlyToThoseBelowThem()
    {
        using var assembly = AssemblyMetadata.Open("NumaSharp");
        var wrong =
            from reference in assembly.References(Core)
            let user = RoomOf(reference.UserFolder)
            let used = RoomOf(reference.UsedFolder)
            where user != used && !s_folders[user].Contains(used)
            select $"{user} -> {used}: {reference.User} -> {reference.Used}";
        Assert.Empty(wrong.Distinct());
    }

    [Fact]
    public void Folders_OfNumaSharp_AreAllKnownAndSeen()
    {
        using var assembly = AssemblyMetadata.Open("NumaSharp");
        var folders = assembly.Folders(Core);
        Assert.Equal(
            s_folders.Keys.Order(), folders.SelectMany(static type => type).Select(RoomOf).Distinct().Order());
        Assert.Superset(
            new HashSet<(string, string)> { ("Machine", "Interop"), ("Plan", "Machine"), ("Loops", "Interop") },
            assembly.References(Core)
                .Select(static reference => (RoomOf(reference.UserFolder), RoomOf(reference.UsedFolder)))
                .ToHashSet());
        var unknown = assembly.Types()
            .Select(static type => type.Name)
            .Where(name => name.StartsWith("NumaSharp.", StringComparison.Ordinal) && !folders.Contains(name));
        Assert.Empty(unknown);
    }

    private static string[] AllowedFor(string project) =>
        project.StartsWith("NumaSharp.Plugins.", StringComparison.Ordinal) ? ["NumaSharp"] : s_projects[project];

    // The folder in the project's, with all that are in it.
    private static string RoomOf(string folder) => folder.Split('/')[0];

    private static IEnumerable<string> ReferencesOf(string project, string kind) =>
        XDocument.Load(Repository.PathOf(project))
            .Descendants(kind)
            .Attributes("Include")
            .Select(static include => include.Value);
}
