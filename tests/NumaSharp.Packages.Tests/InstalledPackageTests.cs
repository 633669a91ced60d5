using System.Diagnostics;
using NumaSharp.Packages.Tests.Support;

namespace NumaSharp.Packages.Tests;

/// <summary>Applications that install the packages, as their users do.</summary>
[Trait("tier", "deep")]
public sealed class InstalledPackageTests(PackedPackages packages)
{
    private const string Host = "NumaSharp.Hosting";
    private const string Transport = "NumaSharp.Transport.Epoll";
    private const string Mode = "System.GC.DynamicAdaptationMode";

    // As the template has it.
    private const string Builder = "var builder = WebApplication.CreateBuilder(args);\n";
    private const string Answer = "Hello World!";

    private static readonly string s_readme = Repository.Read("README.md");

    [Fact]
    public async Task FirstScreen_OfTheReadme_BuildsAndServes()
    {
        using var project = await MakeFirstScreenAsync();
        Assert.Equal(SourceCopy.Version, project.VersionOf(Host));

        var start = await project.BuildAsync("-p:NumaSchemaFile=numa.schema.json");

        await AssertServesAsync(start, "NumaSharp.Hosting[700]");
        Assert.Equal("0", await project.ReadRuntimeOptionAsync(Mode));
        Assert.Equal(
            Repository.Read("appsettings.schema.json"),
            await File.ReadAllTextAsync(project.PathOf("numa.schema.json"), TestContext.Current.CancellationToken));
    }

    // The package says how many heaps there are only where nothing else does.
    [Fact]
    public async Task Heaps_OfTheUser_StayAsTheyAre()
    {
        const string Template = "runtimeconfig.template.json";
        using var project = await MakeFirstScreenAsync();
        Assert.Null(await ModeWithAsync("-p:NumaGarbageCollection=false"));
        Assert.Equal("false", await project.ReadRuntimeOptionAsync("NumaSharp.ReportManagedHeap"));
        Assert.Null(await ModeWithAsync("-p:ServerGarbageCollection=false"));
        Assert.Equal("1", await ModeWithAsync("-p:GarbageCollectionAdaptationMode=1"));

        // The SDK turns DATAS on for these.
        Assert.Equal("0", await ModeWithAsync("-p:PublishAot=true"));
        await WriteAsync(project.PathOf(Template), """{ "configProperties": { "System.GC.DynamicAdaptationMode": 1 } }""");
        Assert.Equal("1", await ModeWithAsync());
        await WriteAsync(project.PathOf(Template), """{ "configProperties": { "System.GC.HeapCount": 4 } }""");
        Assert.Null(await ModeWithAsync());
        File.Move(project.PathOf(Template), project.PathOf("other.json"));
        Assert.Null(await ModeWithAsync("-p:UserRuntimeConfig=other.json"));
        Assert.Equal("0", await ModeWithAsync());
        project.SetRuntimeOption(Mode, "1");
        Assert.Equal("1", await ModeWithAsync());
        project.SetRuntimeOption("System.GC.HeapCount", "2");
        Assert.Null(await ModeWithAsync());

        async Task<string?> ModeWithAsync(params string[] arguments)
        {
            await project.BuildAsync(arguments);
            return await project.ReadRuntimeOptionAsync(Mode);
        }
    }

    [Fact]
    public async Task FirstScreen_Trimmed_HasNoWarningsAndServes()
    {
        using var project = await MakeFirstScreenAsync();

        var start = await project.PublishAsync("--self-contained", "-p:PublishTrimmed=true");

        await AssertServesAsync(start, "NumaSharp.Hosting[700]");
    }

    [Fact]
    public async Task FirstScreen_CompiledAheadOfTime_HasNoWarningsAndServes()
    {
        AheadOfTime.SkipUnlessThereIsALinker();
        using var project = await MakeFirstScreenAsync();

        var start = await project.PublishAsync("-p:PublishAot=true");

        await AssertServesAsync(start, "NumaSharp.Hosting[700]");
    }

    [Fact]
    public async Task QuickStart_OfNumaSharp101_UpdatesAndServes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var project = await UserProject.CreateAsync(await packages.GetAsync());
        project.Refer(Transport, "1.0.1");
        var quickStart = GuideSamples.Of("migrating.md").First();
        Assert.Contains("UseNumaSharpTransport", quickStart, StringComparison.Ordinal);
        await WriteAsync(project.ProgramFile, ProgramOf(quickStart));

        await project.RunAsync("add", "package", Transport, "--prerelease");

        Assert.Equal(SourceCopy.Version, project.VersionOf(Transport));
        await AssertServesAsync(await project.BuildAsync(), "Now listening on");
    }

    [Fact]
    public async Task Samples_OfTheReadmes_CompileInOneApplication()
    {
        using var project = await UserProject.CreateAsync(await packages.GetAsync());
        foreach (var folder in ShippingProjects.Libraries)
        {
            var id = ShippingProjects.IdOf(folder);
            project.Refer(id, SourceCopy.Version);
            var sample = Assert.Single(GuideSamples.In(Repository.Read(folder, "README.md")));
            await WriteAsync(project.PathOf($"{id}.Readme.cs"), ReadmeSource.From(sample, id));
        }

        await AssertServesAsync(await project.BuildAsync(), "Now listening on");
    }

    // The command and the line of code that the README begins with, in a new application.
    private async Task<UserProject> MakeFirstScreenAsync()
    {
        var project = await UserProject.CreateAsync(await packages.GetAsync());
        try
        {
            var command = s_readme.Split('\n')
                .First(static line => line.StartsWith("    dotnet add package ", StringComparison.Ordinal));
            await project.RunAsync(command.Trim().Split(' ')[1..]);
            var program = (await File.ReadAllTextAsync(project.ProgramFile)).ReplaceLineEndings("\n");
            Assert.Contains(Builder, program, StringComparison.Ordinal);
            var code = GuideSamples.In(s_readme).First();
            await WriteAsync(project.ProgramFile, program.Replace(Builder, $"{Builder}{code}", StringComparison.Ordinal));
            return project;
        }
        catch
        {
            project.Dispose();
            throw;
        }
    }

    private static string ProgramOf(string quickStart) =>
        $$"""
        using System.Buffers;
        using NumaSharp.Core;
        using NumaSharp.Scheduling;
        using NumaSharp.Transport.Epoll;

        {{Builder}}
        {{quickStart}}
        var app = builder.Build();
        app.MapGet("/", () => "{{Answer}}");
        app.Run();

        static void ProcessNodeLocalData()
        {
        }
        """;

    private static Task WriteAsync(string file, string text) =>
        File.WriteAllTextAsync(file, text, TestContext.Current.CancellationToken);

    private static async Task AssertServesAsync(ProcessStartInfo start, string logged)
    {
        await using var app = await StartedApp.StartAsync(start);
        using var client = TestHttpClient.Create(app.Address);
        Assert.Equal(Answer, await client.GetStringAsync("/", TestContext.Current.CancellationToken));
        Assert.Contains(logged, app.Program.Output, StringComparison.Ordinal);
    }
}
