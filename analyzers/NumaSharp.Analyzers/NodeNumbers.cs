using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>Which numbers are positions in a list of nodes, and which are ids of the kernel.</summary>
internal sealed class NodeNumbers(NumaTypes types)
{
    public bool IsNodeId(ITypeSymbol? type) => NumaTypes.Is(type, types.NodeId);

    public bool IsPools(ITypeSymbol? type) => NumaTypes.Is(type, types.Pools);

    public bool TakesId(IArgumentOperation argument) => argument.Parameter is { } parameter
        && parameter.Name switch
        {
            "value" => argument.Parent is IObjectCreationOperation creation && IsNodeId(creation.Type),
            "numaNodeId" => NumaTypes.Is(parameter.ContainingType, types.Pool),
            "serviceKey" => argument.Parent is IInvocationOperation { TargetMethod.TypeArguments: { Length: 1 } service }
                && IsServiceOfNode(service[0]),
            _ => false,
        };

    public bool TakesPosition(IArgumentOperation argument) => argument.Parameter is { } parameter
        && parameter.Name switch
        {
            "nodeIndex" => parameter.ContainingAssembly?.Name is { } assembly
                && (assembly == "NumaSharp" || assembly.StartsWith("NumaSharp.", StringComparison.Ordinal)),
            "index" => argument.Parent is IPropertyReferenceOperation { Instance: { } list } && IsListOfNodes(list),
            _ => false,
        };

    public bool IsPosition(IOperation value) => value switch
    {
        ILocalReferenceOperation local => CountOfLoop(local) is not null || (ValueOf(local) is { } only && IsPosition(only)),
        IPropertyReferenceOperation { Property: { Name: "NodeIndex" } property } =>
            NumaTypes.Is(property.ContainingType, types.NodePlan) || NumaTypes.Is(property.ContainingType, types.Loop),
        IPropertyReferenceOperation { Property: { Name: "ServingIndex" } property } =>
            NumaTypes.Is(property.ContainingType, types.NodePlan),
        IPropertyReferenceOperation { Property: { Name: "CurrentNodeIndex" } property } =>
            NumaTypes.Is(property.ContainingType, types.Scheduler),
        IInvocationOperation { TargetMethod: { Name: "IndexOfCpu" } method } =>
            NumaTypes.Is(method.ContainingType, types.Plan) || NumaTypes.Is(method.ContainingType, types.Topology),
        _ => false,
    };

    public bool IsId(IOperation value) => value switch
    {
        ILocalReferenceOperation local => ValueOf(local) is { } only && IsId(only),
        IPropertyReferenceOperation { Property: { Name: "Value" } property } => IsNodeId(property.ContainingType),
        IPropertyReferenceOperation { Property: { Name: "NodeId" } property } =>
            NumaTypes.Is(property.ContainingType, types.Node),
        _ => false,
    };

    /// <summary>The number of nodes up to which a <c>for</c> loop counts with this local.</summary>
    public IPropertyReferenceOperation? CountOfLoop(ILocalReferenceOperation counter)
    {
        for (var each = counter.Parent; each is not null; each = each.Parent)
        {
            if (each is IForLoopOperation loop && loop.Locals.Contains(counter.Local, SymbolEqualityComparer.Default))
            {
                return loop.Condition is IBinaryOperation { OperatorKind: BinaryOperatorKind.LessThan } condition
                    && SymbolEqualityComparer.Default.Equals(condition.LeftOperand.Unwrapped().Variable(), counter.Local)
                    && condition.RightOperand.Unwrapped() is IPropertyReferenceOperation count
                    && IsNumberOfNodes(count)
                        ? count
                        : null;
            }
        }

        return null;
    }

    /// <summary>The id of the node at a position, as source.</summary>
    public string? IdAt(IPropertyReferenceOperation count, string position)
    {
        // From the syntax, which has the ! that operations lack.
        if (count.Syntax is not MemberAccessExpressionSyntax { Expression: var owner })
        {
            return null;
        }

        return count switch
        {
            { Property.Name: "NodeCount" } => $"{owner}.Nodes[{position}].Id",
            _ when IsPools(count.Property.ContainingType) => $"{owner}[{position}].NodeId",
            { Instance: IPropertyReferenceOperation nodes } =>
                $"{owner}[{position}].{(NumaTypes.Is(nodes.Property.ContainingType, types.Plan) ? "NodeId" : "Id")}",
            _ => null,
        };
    }

    // One step only: in code that does not compile, locals can be declared with each other.
    private static IOperation? ValueOf(ILocalReferenceOperation local) => local.OnlyValue() switch
    {
        ILocalReferenceOperation => null,
        var value => value,
    };

    // What AddNuma() registers for each node, under its id.
    private bool IsServiceOfNode(ITypeSymbol service) =>
        NumaTypes.Is(service, types.Node)
        || NumaTypes.Is(service, types.Pool)
        || NumaTypes.Is(service, types.NodeAllocator)
        || NumaTypes.Is(service, types.TaskScheduler)
        || NumaTypes.Is(service, types.PipeScheduler);

    private bool IsNumberOfNodes(IPropertyReferenceOperation count) => count.Property.Name switch
    {
        "NodeCount" => NumaTypes.Is(count.Property.ContainingType, types.Topology),
        "Count" => IsPools(count.Property.ContainingType) || (count.Instance is { } list && IsListOfNodes(list)),
        _ => false,
    };

    // plan.Nodes and topology.Nodes.
    private bool IsListOfNodes(IOperation list) =>
        list.Unwrapped() is IPropertyReferenceOperation { Property: { Name: "Nodes" } property }
        && (NumaTypes.Is(property.ContainingType, types.Plan) || NumaTypes.Is(property.ContainingType, types.Topology));
}
