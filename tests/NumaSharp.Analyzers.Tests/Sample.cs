using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace NumaSharp.Analyzers.Tests;

/// <summary>Source that is compiled against the product, and what all analyzers say of it.</summary>
/// <remarks><c>[|</c> and <c>|]</c> are around what they must report; they report nothing else.</remarks>
internal static class Sample
{
    private const string Usings = """
        using System;
        using System.Buffers;
        using System.IO;
        using System.Linq;
        using System.Threading;
        using System.Threading.Tasks;
        using Microsoft.Extensions.DependencyInjection;
        using NumaSharp.Core;
        using NumaSharp.EventLoop;
        using NumaSharp.Scheduling;
        using NumaSharp.Udp;

        """;

    // What these tests run with, the product included.
    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Select(static file => MetadataReference.CreateFromFile(file)),
    ];

    private static readonly ImmutableArray<DiagnosticAnalyzer> s_analyzers =
    [
        new LeavesNodeAnalyzer(), new UsedAfterReturnAnalyzer(), new NodePositionAnalyzer(), new BlockingCallAnalyzer(),
    ];

    public static ImmutableArray<DiagnosticAnalyzer> Analyzers => s_analyzers;

    public static ImmutableArray<MetadataReference> References => s_references;

    /// <summary>The rule is reported at what is marked, and nothing else is.</summary>
    public static async Task ReportsAsync(string id, string marked)
    {
        var (text, spans) = Unmark(marked);
        Assert.NotEmpty(spans);
        using var workspace = new AdhocWorkspace();
        var found = await DiagnosticsOfAsync(AddTo(workspace, text));
        Assert.Equal(
            spans.Select(span => $"{id} at {span.Start}: {text[span.Start..span.End]}"),
            found.Select(each => TextOf(each, text)));
    }

    public static async Task ReportsNothingAsync(string text)
    {
        using var workspace = new AdhocWorkspace();
        var found = await DiagnosticsOfAsync(AddTo(workspace, Usings + text));
        Assert.Empty(found.Select(each => TextOf(each, Usings + text)));
    }

    /// <summary>The rule is reported at what is marked, with one fix, which makes of the source what is expected.</summary>
    public static async Task IsFixedAsync(string id, string marked, string expected)
    {
        await ReportsAsync(id, marked);
        using var workspace = new AdhocWorkspace();
        var document = AddTo(workspace, Unmark(marked).Text);
        var action = Assert.Single(await ActionsForAsync(document));
        var operations = await action.GetOperationsAsync(TestContext.Current.CancellationToken);
        var changed = Assert.Single(operations.OfType<ApplyChangesOperation>()).ChangedSolution.GetDocument(document.Id)!;
        var text = (await changed.GetTextAsync(TestContext.Current.CancellationToken)).ToString();
        Assert.Equal(Usings + expected, text);
        Assert.Empty(await DiagnosticsOfAsync(changed));
    }

    /// <summary>The rule is reported at what is marked, and there is no fix.</summary>
    public static async Task HasNoFixAsync(string id, string marked)
    {
        await ReportsAsync(id, marked);
        using var workspace = new AdhocWorkspace();
        Assert.Empty(await ActionsForAsync(AddTo(workspace, Unmark(marked).Text)));
    }

    /// <summary>The analyzers' reports on source that does not refer to the product.</summary>
    public static async Task<IEnumerable<Diagnostic>> DiagnosticsWithoutProductAsync(string text)
    {
        using var workspace = new AdhocWorkspace();
        var references = s_references.Where(static reference =>
            !Path.GetFileName(reference.Display!).StartsWith("NumaSharp", StringComparison.Ordinal));
        return await DiagnosticsOfAsync(AddTo(workspace, text, [.. references]));
    }

    private static async Task<List<CodeAction>> ActionsForAsync(Document document)
    {
        var actions = new List<CodeAction>();
        var fix = new ReplaceExpressionFix();
        foreach (var diagnostic in await DiagnosticsOfAsync(document))
        {
            if (fix.FixableDiagnosticIds.Contains(diagnostic.Id))
            {
                await fix.RegisterCodeFixesAsync(new CodeFixContext(
                    document, diagnostic, (action, _) => actions.Add(action), TestContext.Current.CancellationToken));
            }
        }

        return actions;
    }

    private static Document AddTo(AdhocWorkspace workspace, string text, ImmutableArray<MetadataReference>? references = null)
    {
        var project = workspace.AddProject(ProjectInfo.Create(
            ProjectId.CreateNewId(),
            VersionStamp.Default,
            "Sample",
            "Sample",
            LanguageNames.CSharp,
            compilationOptions: new CSharpCompilationOptions(
                KindOf(text),
                allowUnsafe: true,
                specificDiagnosticOptions: [KeyValuePair.Create("NUMA002", ReportDiagnostic.Suppress)],
                nullableContextOptions: NullableContextOptions.Enable),
            parseOptions: new CSharpParseOptions(LanguageVersion.Latest),
            metadataReferences: references ?? s_references));
        return workspace.AddDocument(project.Id, "Sample.cs", SourceText.From(text));
    }

    // A library cannot have top-level statements.
    private static OutputKind KindOf(string text) =>
        CSharpSyntaxTree.ParseText(text).GetCompilationUnitRoot().Members.Any(static member => member is GlobalStatementSyntax)
            ? OutputKind.ConsoleApplication
            : OutputKind.DynamicallyLinkedLibrary;

    private static async Task<ImmutableArray<Diagnostic>> DiagnosticsOfAsync(Document document)
    {
        var compilation = (await document.Project.GetCompilationAsync(TestContext.Current.CancellationToken))!;
        Assert.Empty(compilation.GetDiagnostics().Where(static each => each.Severity == DiagnosticSeverity.Error));
        var found = await compilation.WithAnalyzers(s_analyzers)
            .GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
        return [.. found.OrderBy(static each => each.Location.SourceSpan.Start)];
    }

    // An exception of an analyzer is a diagnostic without a place.
    private static string TextOf(Diagnostic diagnostic, string text)
    {
        var span = diagnostic.Location.SourceSpan;
        return diagnostic.Location.IsInSource
            ? $"{diagnostic.Id} at {span.Start}: {text[span.Start..span.End]}"
            : diagnostic.ToString();
    }

    private static (string Text, List<TextSpan> Spans) Unmark(string marked)
    {
        var text = Usings + marked;
        var spans = new List<TextSpan>();
        for (var start = text.IndexOf("[|", StringComparison.Ordinal); start >= 0;
            start = text.IndexOf("[|", StringComparison.Ordinal))
        {
            var end = text.IndexOf("|]", StringComparison.Ordinal) - 2;
            text = text.Remove(end + 2, 2).Remove(start, 2);
            spans.Add(TextSpan.FromBounds(start, end));
        }

        return (text, spans);
    }
}
