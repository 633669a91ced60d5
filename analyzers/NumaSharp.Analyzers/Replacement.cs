using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace NumaSharp.Analyzers;

/// <summary>How an analyzer tells the code fix what to write: an expression, and the text that takes its place.</summary>
public static class Replacement
{
    /// <summary>The property of a diagnostic that has the new text; the first additional location is what it replaces.</summary>
    public const string Property = "Replacement";

    internal static Diagnostic Create(
        DiagnosticDescriptor rule, Location location, SyntaxNode replaced, string text, params object[] arguments) =>
        KeepsComments(replaced, text)
            ? Diagnostic.Create(
                rule,
                location,
                ImmutableArray.Create(replaced.GetLocation()),
                ImmutableDictionary<string, string?>.Empty.Add(Property, text),
                arguments)
            : Diagnostic.Create(rule, location, arguments);

    // Comments and directives inside of what is replaced; those around it stay in any case.
    private static bool KeepsComments(SyntaxNode replaced, string text) =>
        replaced.DescendantTrivia()
            .Where(trivia => replaced.Span.Contains(trivia.Span)
                && !trivia.IsKind(SyntaxKind.WhitespaceTrivia)
                && !trivia.IsKind(SyntaxKind.EndOfLineTrivia))
            .All(trivia => text.Contains(trivia.ToString()));
}
