using System.Xml.Linq;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>The directions of decision 1 (the house), between projects, assemblies and the folders of NumaSharp.</summary>
public sealed class DependencyTests
{
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
        ["Core"] = ["Interop"],
        ["Scheduling"] = ["Core", "Interop"],
        ["EventLoop"] = ["Core", "Interop"],
        ["Sockets"] = ["Core", "Interop"],
        ["Logging"] = ["Core", "EventLoop"],
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
        using var assembly = Open(name);
        Assert.Empty(assembly.ReferencedAssemblies
            .Where(static reference => reference.StartsWith("NumaSharp", StringComparison.Ordinal))
            .Except(AllowedFor(name)));
    }

    [Fact]
    public void NumaSharp_NeedsNothingButTheContractsOfDependencyInjectionAndLogging()
    {
        using var assembly = Open("NumaSharp");
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
        using var assembly = Open("NumaSharp");
        var wrong =
            from type in assembly.Types()
            from used in type.Uses
            let user = FolderOf(type.Name)
            let target = FolderOf(used)
            where user is not null && target is not null && user != target && !s_folders[user].Contains(target)
            select $"{type.Name} -> {used}";
        Assert.Empty(wrong.Distinct());
    }

    [Fact]
    public void Folders_OfNumaSharp_AreAllKnownAndSeen()
    {
        using var assembly = Open("NumaSharp");
        var used = assembly.Types().SelectMany(static type => type.Uses.Select(use => (FolderOf(type.Name), FolderOf(use))));
        Assert.Superset(
            new HashSet<(string?, string?)>
            {
                ("Core", "Interop"), ("Scheduling", "Core"), ("EventLoop", "Core"), ("EventLoop", "Interop"),
            },
            used.ToHashSet());
        var unknown = assembly.Types()
            .Select(static type => type.Name)
            .Where(static name => name.StartsWith("NumaSharp.", StringComparison.Ordinal) && FolderOf(name) is null);
        Assert.Empty(unknown);
    }

    private static string[] AllowedFor(string project) =>
        project.StartsWith("NumaSharp.Plugins.", StringComparison.Ordinal) ? ["NumaSharp"] : s_projects[project];

    // Beside this one, or where its own project is built, in the same configuration.
    private static AssemblyMetadata Open(string name)
    {
        var here = Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory);
        var file = Path.Combine(here, $"{name}.dll");
        return new(File.Exists(file)
            ? file
            : Path.Combine(here, "..", "..", name, Path.GetFileName(here), $"{name}.dll"));
    }

    private static string? FolderOf(string type) =>
        type.Split('.') is ["NumaSharp", var folder, _, ..] && s_folders.ContainsKey(folder) ? folder : null;

    private static IEnumerable<string> ReferencesOf(string project, string kind) =>
        XDocument.Load(Repository.PathOf(project))
            .Descendants(kind)
            .Attributes("Include")
            .Select(static include => include.Value);
}
