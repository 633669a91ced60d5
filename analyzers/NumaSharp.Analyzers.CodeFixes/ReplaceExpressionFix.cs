using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace NumaSharp.Analyzers;

/// <summary>Writes the expression that an analyzer has put into its diagnostic, where it has found a safe one.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ReplaceExpressionFix))]
[Shared]
public sealed class ReplaceExpressionFix : CodeFixProvider
{
    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        ImmutableArray.Create("NUMA0001", "NUMA0002", "NUMA0004");

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        foreach (var diagnostic in context.Diagnostics)
        {
            if (root is not null
                && diagnostic.Properties.TryGetValue(Replacement.Property, out var text)
                && text is not null
                && root.FindNode(diagnostic.AdditionalLocations[0].SourceSpan, getInnermostNodeForTie: true)
                    is ExpressionSyntax expression)
            {
                context.RegisterCodeFix(
                    CodeAction.Create(
                        TitleOf(diagnostic.Id, text),
                        _ => Task.FromResult(context.Document.WithSyntaxRoot(Replace(root, expression, text))),
                        equivalenceKey: diagnostic.Id),
                    diagnostic);
            }
        }
    }

    private static SyntaxNode Replace(SyntaxNode root, ExpressionSyntax expression, string text) =>
        root.ReplaceNode(expression, SyntaxFactory.ParseExpression(text).WithTriviaFrom(expression));

    private static string TitleOf(string id, string text) => id switch
    {
        "NUMA0001" => "Stay on the node: remove ConfigureAwait",
        "NUMA0002" => "Run on the same node",
        _ => $"Use {text}",
    };
}
