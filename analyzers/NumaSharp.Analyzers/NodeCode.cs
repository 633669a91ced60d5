using System.Collections.Concurrent;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>What runs a body of code.</summary>
internal enum NodeCodeKind
{
    /// <summary>Something that the analyzers do not know.</summary>
    Unknown,

    /// <summary>A task of a node's scheduler: an <c>await</c> continues on the node.</summary>
    Task,

    /// <summary>An item of a node's queue: an <c>await</c> continues where the awaited task ended.</summary>
    Item,

    /// <summary>An event loop, which serves nothing else until the body returns.</summary>
    LoopCallback,
}

/// <summary>
/// Finds what runs a lambda, a local function or a method: whether it is passed to a scheduler or is a callback of an event loop.
/// Only the body itself counts, not the lambdas in it, which others may run, nor the methods that it calls.
/// </summary>
internal sealed class NodeCode(NumaTypes types)
{
    private readonly ConcurrentDictionary<SyntaxTree, ImmutableArray<InvocationExpressionSyntax>> _calls = new();

    public NodeCodeKind KindOf(IOperation operation, ISymbol member, CancellationToken cancellationToken) =>
        operation.Function() switch
        {
            IAnonymousFunctionOperation lambda => KindOfValue(lambda),
            ILocalFunctionOperation local => KindOfLocalFunction(local),

            // Of a method in two parts, others see the first.
            _ => member is IMethodSymbol method
                ? KindOfMethod(method.PartialDefinitionPart ?? method, operation, cancellationToken)
                : NodeCodeKind.Unknown,
        };

    private NodeCodeKind KindOfLocalFunction(ILocalFunctionOperation function)
    {
        foreach (var operation in function.Root().Descendants())
        {
            if (operation is IMethodReferenceOperation reference
                && SymbolEqualityComparer.Default.Equals(reference.Method.OriginalDefinition, function.Symbol.OriginalDefinition)
                && KindOfValue(reference) is not NodeCodeKind.Unknown and var kind)
            {
                return kind;
            }
        }

        return NodeCodeKind.Unknown;
    }

    private NodeCodeKind KindOfMethod(IMethodSymbol method, IOperation operation, CancellationToken cancellationToken)
    {
        if (IsLoopCallback(method))
        {
            return NodeCodeKind.LoopCallback;
        }

        if (operation.SemanticModel is not { } model)
        {
            return NodeCodeKind.Unknown;
        }

        foreach (var call in CallsIn(operation.Syntax.SyntaxTree, cancellationToken))
        {
            if (Names(call, method.Name)
                && model.GetOperation(call, cancellationToken) is IInvocationOperation invocation
                && KindOfMethodIn(invocation, method) is not NodeCodeKind.Unknown and var kind)
            {
                return kind;
            }
        }

        return NodeCodeKind.Unknown;
    }

    private NodeCodeKind KindOfMethodIn(IInvocationOperation invocation, IMethodSymbol method)
    {
        foreach (var argument in invocation.Arguments)
        {
            if (argument.Value.Unwrapped() is IMethodReferenceOperation reference
                && SymbolEqualityComparer.Default.Equals(reference.Method.OriginalDefinition, method.OriginalDefinition))
            {
                return KindOfArgument(argument);
            }
        }

        return NodeCodeKind.Unknown;
    }

    private NodeCodeKind KindOfValue(IOperation function) =>
        function.User() is IArgumentOperation argument ? KindOfArgument(argument) : NodeCodeKind.Unknown;

    private NodeCodeKind KindOfArgument(IArgumentOperation argument)
    {
        if (argument.Parent is not IInvocationOperation call || argument.Parameter is not { } parameter)
        {
            return NodeCodeKind.Unknown;
        }

        var type = call.TargetMethod.ContainingType;
        return call.TargetMethod.Name switch
        {
            "RunOnNode" when NumaTypes.Is(type, types.Scheduler) && parameter.Name == "work" => NodeCodeKind.Task,
            "RunNumaLocal" when NumaTypes.Is(type, types.TaskExtensions) && parameter.Name == "work" => NodeCodeKind.Task,
            "QueueOnNode" when NumaTypes.Is(type, types.Scheduler) && parameter.Name == "callback" => NodeCodeKind.Item,
            "StartNew" when types.IsTaskFactory(type) && parameter.Type.TypeKind == TypeKind.Delegate && IsOnNode(call) =>
                NodeCodeKind.Task,
            "ContinueWith" when types.IsTask(type) && parameter.Type.TypeKind == TypeKind.Delegate && IsOnNode(call) =>
                NodeCodeKind.Task,
            _ => NodeCodeKind.Unknown,
        };
    }

    // With a scheduler, or by a factory that was made with one.
    private bool IsOnNode(IInvocationOperation start) =>
        (start.ArgumentFor("scheduler") ?? CreationOf(start.Instance)?.ArgumentFor("scheduler")) switch
        {
            IInvocationOperation { TargetMethod: { Name: "ForNode" } method } =>
                NumaTypes.Is(method.ContainingType, types.Scheduler),
            { } scheduler => NumaTypes.Is(scheduler.Type, types.Scheduler),
            null => false,
        };

    private static IObjectCreationOperation? CreationOf(IOperation? factory) => factory?.Unwrapped() switch
    {
        ILocalReferenceOperation local => local.OnlyValue() as IObjectCreationOperation,
        var value => value as IObjectCreationOperation,
    };

    private bool IsLoopCallback(IMethodSymbol method)
    {
        for (var each = method; each is not null; each = each.OverriddenMethod)
        {
            if (NumaTypes.Is(each.ContainingType, types.LoopHandler)
                || (types.DatagramHandler is { } contract && Implements(each, contract)))
            {
                return true;
            }
        }

        return false;
    }

    private static bool Implements(IMethodSymbol method, INamedTypeSymbol contract)
    {
        foreach (var member in contract.GetMembers())
        {
            if (SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(member), method))
            {
                return true;
            }
        }

        return false;
    }

    private ImmutableArray<InvocationExpressionSyntax> CallsIn(SyntaxTree tree, CancellationToken cancellationToken) =>
        _calls.GetOrAdd(tree, each => each.GetRoot(cancellationToken)
            .DescendantNodes()
            .OfType<InvocationExpressionSyntax>()
            .Where(static call => NameOf(call) is "RunOnNode" or "RunNumaLocal" or "QueueOnNode" or "StartNew" or "ContinueWith")
            .ToImmutableArray());

    private static string? NameOf(InvocationExpressionSyntax call) => call.Expression switch
    {
        MemberAccessExpressionSyntax { Name.Identifier: var name } => name.ValueText,
        MemberBindingExpressionSyntax { Name.Identifier: var name } => name.ValueText,
        _ => null,
    };

    private static bool Names(InvocationExpressionSyntax call, string method) =>
        call.DescendantNodes().OfType<SimpleNameSyntax>().Any(name => name.Identifier.ValueText == method);
}
