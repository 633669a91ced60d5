using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0005: a callback of an event loop waits.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingCallAnalyzer : DiagnosticAnalyzer
{
    private static readonly ImmutableHashSet<string> s_awaiters = ImmutableHashSet.Create(
        "TaskAwaiter", "ValueTaskAwaiter", "ConfiguredTaskAwaiter", "ConfiguredValueTaskAwaiter");

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.BlockingCall);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (NumaTypes.From(start.Compilation) is not { } types)
            {
                return;
            }

            var code = new NodeCode(types);
            var waits = new WaitingMethods(start.Compilation);
            start.RegisterOperationAction(
                operation => Analyze(operation, types, waits, code),
                OperationKind.Invocation,
                OperationKind.PropertyReference);
        });
    }

    private static void Analyze(OperationAnalysisContext context, NumaTypes types, WaitingMethods waits, NodeCode code)
    {
        if (NameOfWait(context.Operation, types, waits) is { } name
            && code.KindOf(context.Operation, context.ContainingSymbol, context.CancellationToken) == NodeCodeKind.LoopCallback
            && !IsKnownToBeComplete(TaskOf(context.Operation))
            && !IsAfterAwait(context.Operation))
        {
            context.ReportDiagnostic(Diagnostic.Create(Rules.BlockingCall, context.Operation.Syntax.GetLocation(), name));
        }
    }

    private static string? NameOfWait(IOperation operation, NumaTypes types, WaitingMethods waits) => operation switch
    {
        { Parent: INameOfOperation } => null,
        IInvocationOperation call when waits.IsWait(call) => $"{call.TargetMethod.ContainingType.Name}.{call.TargetMethod.Name}",
        IInvocationOperation call when IsResultOfAwaiter(call) => "GetResult",
        IPropertyReferenceOperation { Property: { Name: "Result", ContainingType: var type } } when
            types.IsTask(type) || types.IsValueTask(type) => $"{type.Name}.Result",
        _ => null,
    };

    private static bool IsResultOfAwaiter(IInvocationOperation call) =>
        call.TargetMethod.Name == "GetResult"
        && s_awaiters.Contains(call.TargetMethod.ContainingType.Name)
        && call.TargetMethod.ContainingNamespace.ToDisplayString() == "System.Runtime.CompilerServices";

    // The task of task.Result, task.Wait(), task.GetAwaiter().GetResult() and the last with ConfigureAwait(false).
    private static IOperation? TaskOf(IOperation result)
    {
        if (result is IPropertyReferenceOperation property)
        {
            return property.Instance;
        }

        IOperation? task = result;
        while (task?.Unwrapped() is IInvocationOperation part
            && part.TargetMethod.Name is "Wait" or "GetResult" or "GetAwaiter" or "ConfigureAwait")
        {
            task = part.Instance;
        }

        return task;
    }

    // Whether the member asks the same task for its state.
    private static bool IsKnownToBeComplete(IOperation? task) =>
        task?.Unwrapped() is { } known
        && known.Root().Descendants().Any(each =>
            each is IPropertyReferenceOperation { Property.Name: var name, Instance: { } asked }
            && name is "IsCompleted" or "IsCompletedSuccessfully" or "IsFaulted" or "IsCanceled" or "Status"
            && AreSame(asked.Unwrapped(), known));

    // The same variable, or the same property or field of the same object: other expressions may be another task each time.
    private static bool AreSame(IOperation left, IOperation right) =>
        right.Variable() is { } variable
            ? SymbolEqualityComparer.Default.Equals(left.Variable(), variable)
            : right is IPropertyReferenceOperation or IFieldReferenceOperation
                && SyntaxFactory.AreEquivalent(left.Syntax, right.Syntax, topLevel: false);

    // An async callback has given the loop back at its first await, which may be that of await foreach.
    private static bool IsAfterAwait(IOperation operation) =>
        operation.Root().Descendants().Any(each =>
            each switch
            {
                IAwaitOperation => each,
                IForEachLoopOperation { IsAsynchronous: true, Collection: var sequence } => sequence,
                _ => null,
            } is { } awaited
            && each.Function() is null
            && awaited.Syntax.Span.End <= operation.Syntax.SpanStart);
}
