using System.Diagnostics;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>
/// An application that a user makes, outside of the repository. Packages of this product come from the folder in which they were
/// packed, all others from where this machine has them or its sources of packages.
/// </summary>
internal sealed partial class UserProject : IDisposable
{
    private const string Name = "Shop";
    private const string OwnSource = "packed-by-the-test";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    private readonly TemporaryFolder _folder = new();

    public string Folder => _folder.PathOf(Name);

    public string ProjectFile => PathOf($"{Name}.csproj");

    public string ProgramFile => PathOf("Program.cs");

    /// <summary>Makes an empty web application.</summary>
    public static async Task<UserProject> CreateAsync(SourceCopy packages)
    {
        var project = new UserProject();
        try
        {
            await project.WriteSourcesAsync(packages.Packages);
            await project.RunInAsync(project._folder.Path, "new", "web", "-n", Name, "--no-restore");
            return project;
        }
        catch
        {
            project.Dispose();
            throw;
        }
    }

    public string PathOf(string file) => Path.Combine(Folder, file);

    /// <summary>Refers to a package in the project's file.</summary>
    public void Refer(string id, string version)
    {
        var file = XDocument.Load(ProjectFile);
        file.Root!.Add(new XElement(
            "ItemGroup", new XElement("PackageReference", new XAttribute("Include", id), new XAttribute("Version", version))));
        file.Save(ProjectFile);
    }

    /// <summary>Has the project's file set one option of the runtime, in place of the last one.</summary>
    public void SetRuntimeOption(string name, string value)
    {
        const string Item = "RuntimeHostConfigurationOption";
        var file = XDocument.Load(ProjectFile);
        file.Root!.Elements("ItemGroup").Where(static group => group.Element(Item) is not null).Remove();
        file.Root!.Add(new XElement(
            "ItemGroup", new XElement(Item, new XAttribute("Include", name), new XAttribute("Value", value))));
        file.Save(ProjectFile);
    }

    /// <summary>The version of a package that the project's file refers to.</summary>
    public string? VersionOf(string id) => XDocument.Load(ProjectFile)
        .Descendants("PackageReference")
        .Single(reference => reference.Attribute("Include")?.Value == id)
        .Attribute("Version")?.Value;

    /// <summary>Runs a command of dotnet in the project; skips the test if a package is not available.</summary>
    public Task<ProgramResult> RunAsync(params string[] arguments) => RunInAsync(Folder, arguments);

    /// <summary>Builds it.</summary>
    /// <returns>How to start it.</returns>
    public async Task<ProcessStartInfo> BuildAsync(params string[] arguments)
    {
        await RunAsync(["build", "-c", "Release", "--disable-build-servers", .. arguments]);
        return Start(DotnetHost.Path, PathOf($"bin/Release/net10.0/{Name}.dll"));
    }

    /// <summary>What the runtimeconfig.json of the built application sets; <see langword="null"/>: nothing.</summary>
    public async Task<string?> ReadRuntimeOptionAsync(string name)
    {
        var config = JsonNode.Parse(await File.ReadAllTextAsync(PathOf($"bin/Release/net10.0/{Name}.runtimeconfig.json")))!;
        return config["runtimeOptions"]!["configProperties"]![name]?.ToString();
    }

    /// <summary>Publishes it for this machine. Fails on a warning of the trimmer or the compiler of native code.</summary>
    /// <returns>How to start it.</returns>
    public async Task<ProcessStartInfo> PublishAsync(params string[] arguments)
    {
        TemporaryFolder.SkipUnlessProgramsRun();
        var output = _folder.PathOf("published");
        var result = await RunAsync(
        [
            "publish", "-c", "Release", "--use-current-runtime", "-o", output, "--disable-build-servers",
            "-p:TrimmerSingleWarn=false", .. arguments,
        ]);
        Assert.DoesNotContain("warning IL", result.Output, StringComparison.Ordinal);
        return Start(Path.Combine(output, Name));
    }

    public void Dispose() => _folder.Dispose();

    private async Task<ProgramResult> RunInAsync(string folder, params string[] arguments)
    {
        var start = new ProcessStartInfo(DotnetHost.Path, arguments)
        {
            WorkingDirectory = folder,
            Environment =
            {
                ["DOTNET_CLI_UI_LANGUAGE"] = "en",
                ["DOTNET_NOLOGO"] = "1",
                // What is packed here must not stay in the folder of packages that all projects of the machine share.
                ["NUGET_PACKAGES"] = _folder.PathOf("packages"),
                // Asks a source on the network, also when nothing else does.
                ["NuGetAudit"] = "false",
            },
        };
        var result = await ExternalProgram.TryAsync(start, patience: s_patience);
        // One of ours that is missing is no reason to skip.
        Assert.DoesNotContain("find package NumaSharp", result.Output, StringComparison.Ordinal);
        AheadOfTime.SkipIfAPackageIsMissing(result.Output);
        Assert.True(result.Succeeded, $"dotnet {string.Join(' ', arguments)}: {result}");
        return result;
    }

    private ProcessStartInfo Start(string program, params string[] arguments) =>
        new(program, [.. arguments, StartedApp.AnyPort])
        {
            WorkingDirectory = Folder,
            // A published application would need ICU, which the tests do without.
            Environment = { ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1" },
        };

    private async Task WriteSourcesAsync(string packages)
    {
        var shared = GlobalPackages().Match(
            await ExternalProgram.RunAsync(DotnetHost.Path, "nuget", "locals", "global-packages", "--list"));
        Assert.True(shared.Success, "dotnet does not say where it keeps packages.");
        var sources = Source().Matches(await ExternalProgram.RunAsync(DotnetHost.Path, "nuget", "list", "source"))
            .Select(static match => match.Groups["name"].Value)
            .Where(static name => name.Length > 0);
        new XDocument(new XElement(
            "configuration",
            new XElement("packageSources", Add(OwnSource, packages)),
            new XElement("fallbackPackageFolders", Add("this-machine", shared.Groups["folder"].Value)),
            new XElement(
                "packageSourceMapping",
                sources.Select(static name => Mapping(name, "*")).Append(Mapping(OwnSource, "NumaSharp*")))))
            .Save(_folder.PathOf("nuget.config"));
    }

    private static XElement Add(string key, string value) =>
        new("add", new XAttribute("key", key), new XAttribute("value", value));

    private static XElement Mapping(string source, string pattern) => new(
        "packageSource", new XAttribute("key", source), new XElement("package", new XAttribute("pattern", pattern)));

    [GeneratedRegex(@"global-packages: (?<folder>.+)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex GlobalPackages();

    [GeneratedRegex(@"^ *[0-9]+\. +(?<name>.+?) \[", RegexOptions.ExplicitCapture | RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex Source();
}
