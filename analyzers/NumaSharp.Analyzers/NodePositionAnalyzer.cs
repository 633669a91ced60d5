using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0004: a node's position is given as its id, or the other way round.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class NodePositionAnalyzer : DiagnosticAnalyzer
{
    private const string Position = "a node's position";
    private const string Id = "a node's id";

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.NodePosition);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (NumaTypes.From(start.Compilation) is { } types)
            {
                var numbers = new NodeNumbers(types);
                start.RegisterOperationAction(operation => Analyze(operation, numbers), OperationKind.Argument);
            }
        });
    }

    private static void Analyze(OperationAnalysisContext context, NodeNumbers numbers)
    {
        var argument = (IArgumentOperation)context.Operation;
        var value = argument.Value.Unwrapped();
        if (numbers.TakesId(argument) && numbers.IsPosition(value))
        {
            Report(context, argument, value, Position, Id, IdInstead(argument, value, numbers));
        }
        else if (numbers.TakesPosition(argument) && numbers.IsId(value))
        {
            Report(context, argument, value, Id, Position, PoolOfIdInstead(argument, value, numbers));
        }
    }

    private static void Report(
        OperationAnalysisContext context,
        IArgumentOperation argument,
        IOperation value,
        string actual,
        string expected,
        string? fix)
    {
        var place = value.Syntax.GetLocation();
        var text = value.Syntax.ToString();
        context.ReportDiagnostic(fix is not null && argument.Parent is { } user
            ? Replacement.Create(Rules.NodePosition, place, user.Syntax, fix, text, actual, expected)
            : Diagnostic.Create(Rules.NodePosition, place, text, actual, expected));
    }

    // For new NumaNodeId(node.NodeIndex): node.NodeId. For new NumaNodeId(i) in a loop over the nodes: the id of the node at i.
    private static string? IdInstead(IArgumentOperation argument, IOperation value, NodeNumbers numbers)
    {
        if (argument.Parent is not IObjectCreationOperation creation || !numbers.IsNodeId(creation.Type))
        {
            return null;
        }

        return value switch
        {
            IPropertyReferenceOperation { Property.Name: "NodeIndex", Syntax: MemberAccessExpressionSyntax access } =>
                $"{access.Expression}.NodeId",
            ILocalReferenceOperation counter when numbers.CountOfLoop(counter) is { } count =>
                numbers.IdAt(count, counter.Local.Name),
            _ => null,
        };
    }

    // For pools[id.Value]: pools.ForNode(id).
    private static string? PoolOfIdInstead(IArgumentOperation argument, IOperation value, NodeNumbers numbers) =>
        argument.Parent is IPropertyReferenceOperation { Syntax: ElementAccessExpressionSyntax pools } indexer
        && numbers.IsPools(indexer.Property.ContainingType)
        && value is IPropertyReferenceOperation { Syntax: MemberAccessExpressionSyntax owner } id
            ? $"{pools.Expression}.ForNode({owner.Expression}{(numbers.IsNodeId(id.Property.ContainingType) ? "" : ".Id")})"
            : null;
}
