using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace NumaSharp.Analyzers.Tests.Docs;

/// <summary>
/// The C# of the docs and of the packages' READMEs compiles against the public API. These tests have the compiler, so they have
/// these, too.
/// </summary>
public sealed partial class DocumentedCodeTests
{
    private const string Builder = "WebApplicationBuilder builder = null!;";
    private const string Unsafe = "unsafe {";

    // Those of an application with ImplicitUsings.
    private static readonly string[] s_implicit =
    [
        .. UsingsOf(
            "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Net.Http.Json",
            "System.Threading", "System.Threading.Tasks"),
        .. UsingsOf(
            "Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Http",
            "Microsoft.AspNetCore.Routing", "Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection",
            "Microsoft.Extensions.Hosting", "Microsoft.Extensions.Logging"),
    ];

    // A guide does not repeat them. A README has those that it needs.
    private static readonly string[] s_ofGuides =
    [
        .. UsingsOf("System.Buffers", "System.IO.Pipelines", "System.Net", "Microsoft.AspNetCore.Mvc.Testing", "NSubstitute"),
        .. UsingsOf(
            "NumaSharp.Core", "NumaSharp.Hosting", "NumaSharp.Plugins.HugePages", "NumaSharp.Plugins.Simulated",
            "NumaSharp.Plugins.Windows", "NumaSharp.Scheduling", "NumaSharp.Transport.Epoll", "NumaSharp.Udp"),
    ];

    // What the text around each sample of a page says is there.
    private static readonly Dictionary<string, Given[]> s_pages = new(StringComparer.Ordinal)
    {
        ["README.md"] = [new(Builder)],
        ["docs/guide/changes.md"] =
            [new("IServiceProvider services = null!; ILogger logger = null!; NumaTaskScheduler scheduler = null!;")],
        ["docs/guide/configuration.md"] = [new(Builder)],
        ["docs/guide/memory.md"] =
        [
            new(Unsafe, "}"),
            new(),
            new($"NumaAllocator allocator = null!; {Unsafe}", "}"),
            new($"NumaAllocator allocator = null!; var count = 1; {Unsafe}", "}"),
            new("NumaMemoryPool pool = null!; var count = 1;"),
            new("NumaMemoryPool pool = null!;"),
        ],
        ["docs/guide/page.md"] = [new("WebApplication app = null!;"), new("WebApplication app = null!;")],
        ["docs/guide/plan.md"] = [new()],
        ["docs/guide/plugins.md"] =
            [new(Builder), new(), new("IServiceCollection services = null!; INumaTopologyProvider topology = null!;"), new()],
        ["docs/guide/scheduling.md"] =
        [
            new(
                """
                object index = ""; var batch = new Batch(); var stopping = CancellationToken.None;
                static void Rebuild(object index) { }
                static void UpdateCache() { }
                static Task LoadAsync() => Task.CompletedTask;
                static Task ScanAsync(CancellationToken stopping) => Task.CompletedTask;
                """,
                "class Batch { public void Run() { } }"),
            new("NumaTaskScheduler scheduler = null!;"),
        ],
        ["docs/guide/topology.md"] =
            [new(), new("INumaAffinityProvider provider = null!; NumaNode node = null!; NumaFallbacks fallbacks = null!;")],
        ["docs/guide/udp.md"] =
        [
            new(),
            new(Builder, "class Echo : IDatagramHandler { public void OnBatch(in DatagramBatch batch) { } }"),
            new(Builder, "class Echo : IDatagramHandler { public void OnBatch(in DatagramBatch batch) { } }"),
            new("NumaUdpSocketFactory factory = null!; var endPoint = new IPEndPoint(IPAddress.Loopback, 0);"),
            new("NumaUdpSocket server = null!; byte[] address = [], payload = [], manyPayloads = [];"),
        ],
        ["docs/guide/windows.md"] = [new(Builder), new()],
        ["docs/reference/analyzers.md"] =
        [
            new("""
                NumaTaskScheduler scheduler = null!;
                static Task<object> LoadAsync() => Task.FromResult(new object());
                static void Index(object rows) { }
                """),
            new("NumaTaskScheduler scheduler = null!; int[] part = []; static void Sort(int[] part) { }"),
            new("NumaMemoryBlock block = null!;"),
            new("NumaPlan plan = null!; NumaMemoryPools pools = null!; static void Warm(NumaMemoryPool pool) { }"),
            new("class Handler : IDatagramHandler {", "static void Log(string text) { } }"),
        ],
        ["hosting/NumaSharp.Hosting/README.md"] = [new()],
        ["plugins/NumaSharp.Plugins.HugePages/README.md"] = [new()],
        ["plugins/NumaSharp.Plugins.Simulated/README.md"] = [new()],
        ["plugins/NumaSharp.Plugins.Windows/README.md"] = [new()],
        ["src/NumaSharp/README.md"] = [new()],
        ["src/NumaSharp.Transport.Epoll/README.md"] = [new()],
        ["src/NumaSharp.Udp/README.md"] = [new()],
    };

    // Lines of programs that other tests build and run (GuideSamples).
    private static readonly string[] s_compiledElsewhere =
    [
        "docs/guide/aspire.md", "docs/guide/getting-started.md", "docs/guide/migrating.md", "docs/guide/providers.md",
        "hosting/NumaSharp.Aspire.Hosting/README.md",
    ];

    private static readonly string[] s_folders = ["docs", "hosting", "plugins", "src", "templates"];

    public static TheoryData<string> Pages => [.. s_pages.Keys];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Samples_OfAPage_Compile(string page)
    {
        var samples = GuideSamples.In(Repository.Read(page)).ToArray();
        Assert.Equal(s_pages[page].Length, samples.Length);
        var usings = page.EndsWith("README.md", StringComparison.Ordinal) ? s_implicit : s_implicit.Concat(s_ofGuides);
        Assert.All(samples.Zip(s_pages[page]), pair => Assert.Empty(ErrorsIn(pair.Second.SourceOf(pair.First, usings))));
    }

    [Fact]
    public void Pages_WithSamples_AreAllCompiled()
    {
        var pages =
            from file in s_folders
                .SelectMany(static folder => Directory.EnumerateFiles(
                    Repository.PathOf(folder), "*.md", SearchOption.AllDirectories))
                .Concat(Directory.EnumerateFiles(Repository.Root, "*.md"))
            where GuideSamples.In(File.ReadAllText(file)).Any()
            select Path.GetRelativePath(Repository.Root, file);
        Assert.Equal(
            s_pages.Keys.Concat(s_compiledElsewhere).Order(StringComparer.Ordinal), pages.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void ErrorsIn_ASampleOfWhatTheApiLacks_NamesIt()
    {
        var source = new Given().SourceOf("_ = NumaTopology.Instance.Missing;", s_implicit.Concat(s_ofGuides));
        Assert.Contains("'Missing'", Assert.Single(ErrorsIn(source)), StringComparison.Ordinal);
    }

    private static IEnumerable<string> ErrorsIn(string source)
    {
        var cancellation = TestContext.Current.CancellationToken;
        var tree = CSharpSyntaxTree.ParseText(
            source, new CSharpParseOptions(LanguageVersion.Latest), cancellationToken: cancellation);
        var compilation = CSharpCompilation.Create(
            "Sample",
            [tree],
            Sample.References,
            new CSharpCompilationOptions(
                OutputKind.ConsoleApplication, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        return compilation.GetDiagnostics(cancellation)
            .Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)
            .Select(diagnostic => $"{diagnostic} in:\n{source}");
    }

    private static IEnumerable<string> UsingsOf(params string[] namespaces) =>
        namespaces.Select(static name => $"using {name};");

    [GeneratedRegex(@"^using [\w.]+;$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Directive();

    /// <summary>What is before and after a sample in its file.</summary>
    private sealed record Given(string Before = "", string After = "")
    {
        // A program has a statement, and a sample need not have one.
        public string SourceOf(string sample, IEnumerable<string> usings)
        {
            var lines = sample.Split('\n').ToLookup(static line => Directive().IsMatch(line));
            string[] all =
                [.. usings.Concat(lines[true]).Distinct(), "await Task.Yield();", Before, .. lines[false], After];
            return string.Join('\n', all);
        }
    }
}
