using System.Collections.Immutable;
using Microsoft.CodeAnalysis;

namespace NumaSharp.Analyzers;

/// <summary>How an analyzer tells the code fix what to write: an expression, and the text that takes its place.</summary>
public static class Replacement
{
    /// <summary>The property of a diagnostic that has the new text; the first additional location is what it replaces.</summary>
    public const string Property = "Replacement";

    internal static Diagnostic Create(
        DiagnosticDescriptor rule, Location location, SyntaxNode replaced, string text, params object[] arguments) =>
        Diagnostic.Create(
            rule,
            location,
            ImmutableArray.Create(replaced.GetLocation()),
            ImmutableDictionary<string, string?>.Empty.Add(Property, text),
            arguments);
}
