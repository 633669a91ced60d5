using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>Compiles what a page shows as a program of its own, with Given.cs.txt beside it.</summary>
internal static class SnippetCompiler
{
    // These tests do not refer to them.
    private static readonly string[] s_plugins = ["NumaSharp.Plugins.HugePages", "NumaSharp.Plugins.Windows"];

    private static readonly CSharpParseOptions s_language = new(LanguageVersion.Latest);

    private static readonly SyntaxTree s_given = CSharpSyntaxTree.ParseText(
        Repository.Read("tests", "NumaSharp.Hosting.Tests", "Docs", "Given.cs.txt"), s_language, "Given.cs.txt");

    // What these tests run with, the product included.
    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Concat(s_plugins.Select(PathOf))
            .Select(static file => MetadataReference.CreateFromFile(file)),
    ];

    public static IEnumerable<string> ErrorsOf(string code)
    {
        var tree = CSharpSyntaxTree.ParseText(FrameOf(code), s_language);
        var isProgram = tree.GetCompilationUnitRoot().Members.Any(static member => member is GlobalStatementSyntax);
        var options = new CSharpCompilationOptions(
            isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
            allowUnsafe: true,
            nullableContextOptions: NullableContextOptions.Enable);
        return CSharpCompilation.Create("Snippet", [s_given, tree], s_references, options)
            .GetDiagnostics(TestContext.Current.CancellationToken)
            .Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)
            .Select(static diagnostic => diagnostic.ToString());
    }

    // A page shows a method without its type, and pointers without what allows them.
    private static string FrameOf(string code)
    {
        if (code.StartsWith("public void ", StringComparison.Ordinal))
        {
            return $"internal sealed class Shown\n{{\n{code}}}\n";
        }

        return code.Contains("void*", StringComparison.Ordinal) ? $"unsafe\n{{\n{code}}}\n" : code;
    }

    private static string PathOf(string project)
    {
        var here = Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory);
        return Path.Combine(here, "..", "..", project, Path.GetFileName(here), $"{project}.dll");
    }
}
