using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Microsoft.CodeAnalysis.Text;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0001 and NUMA0002: code that runs on a node continues, or queues work, elsewhere.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class LeavesNodeAnalyzer : DiagnosticAnalyzer
{
    // Of ConfigureAwaitOptions.
    private const int ContinueOnCapturedContext = 1;

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.ConfigureAwait, Rules.ThreadPool);

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
            start.RegisterOperationAction(operation => Analyze(operation, types, code), OperationKind.Invocation);
        });
    }

    private static void Analyze(OperationAnalysisContext context, NumaTypes types, NodeCode code)
    {
        var call = (IInvocationOperation)context.Operation;
        switch (call.TargetMethod.Name)
        {
            case "ConfigureAwait" when LeavesContext(call, types):
                AnalyzeAwait(context, call, types, code);
                break;
            case "Run" when NumaTypes.Is(call.TargetMethod.ContainingType, types.Task):
                if (KindOf(context, code) != NodeCodeKind.Unknown)
                {
                    context.ReportDiagnostic(ThreadPoolDiagnostic(call, types));
                }

                break;
            case "StartNew" when types.IsTaskFactory(call.TargetMethod.ContainingType)
                && LeavesScheduler(call, types, KindOf(context, code)):
                context.ReportDiagnostic(ThreadPoolDiagnostic(call, types));
                break;
            default:
                break;
        }
    }

    private static NodeCodeKind KindOf(OperationAnalysisContext context, NodeCode code) =>
        code.KindOf(context.Operation, context.ContainingSymbol, context.CancellationToken);

    // A task that is awaited with ConfigureAwait(false), or with options that do not keep the context.
    private static bool LeavesContext(IInvocationOperation call, NumaTypes types) =>
        (types.IsTask(call.TargetMethod.ContainingType) || types.IsValueTask(call.TargetMethod.ContainingType))
        && call.User() is IAwaitOperation
        && call.Arguments.Length == 1
        && call.Arguments[0].Value.ConstantValue is { HasValue: true, Value: var value }
        && value switch
        {
            bool keepsContext => !keepsContext,
            int options => (options & ContinueOnCapturedContext) == 0,
            _ => false,
        };

    private static void AnalyzeAwait(
        OperationAnalysisContext context, IInvocationOperation call, NumaTypes types, NodeCode code)
    {
        // In an item an await leaves the node in any case. A body that switches nodes by itself comes back where it wants to.
        if (call.Syntax is not InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access } syntax
            || IsWholeBody(call)
            || ResumesOnLoop(call)
            || KindOf(context, code) != NodeCodeKind.Task
            || SwitchesNodes(call, types))
        {
            return;
        }

        var place = Location.Create(syntax.SyntaxTree, TextSpan.FromBounds(access.Name.SpanStart, syntax.Span.End));
        var text = syntax.ToString().Substring(access.Name.SpanStart - syntax.SpanStart);
        context.ReportDiagnostic(call.Arguments[0].Value.ConstantValue.Value is bool
            ? Replacement.Create(Rules.ConfigureAwait, place, syntax, access.Expression.ToString(), text)
            : Diagnostic.Create(Rules.ConfigureAwait, place, text));
    }

    // Of async () => await task.ConfigureAwait(false): nothing follows.
    private static bool IsWholeBody(IInvocationOperation call) =>
        call.User() is IAwaitOperation { Syntax.Parent: LambdaExpressionSyntax or ArrowExpressionClauseSyntax };

    // The calls of a datagram socket's shard: code after them runs on the loop's thread, unless it captured a context.
    private static bool ResumesOnLoop(IInvocationOperation call) =>
        call.Instance?.Unwrapped() is IInvocationOperation { TargetMethod.ContainingType: { Name: "NumaUdpShard" } type }
        && type.ContainingNamespace.ToDisplayString() == "NumaSharp.Udp";

    private static bool SwitchesNodes(IOperation operation, NumaTypes types) =>
        (operation.Function() ?? operation.Root()).Descendants().Any(each =>
            each is IAwaitOperation awaited && NumaTypes.Is(awaited.Operation.Type, types.SwitchAwaitable));

    private static bool LeavesScheduler(IInvocationOperation startNew, NumaTypes types, NodeCodeKind kind) => kind switch
    {
        NodeCodeKind.Unknown => false,
        _ when startNew.ArgumentFor("scheduler") is { } scheduler =>
            scheduler is IPropertyReferenceOperation { Property: { Name: "Default" } property }
            && NumaTypes.Is(property.ContainingType, types.TaskScheduler),

        // A factory without a scheduler takes that of the running task.
        NodeCodeKind.Task => false,
        _ => startNew.Instance is IPropertyReferenceOperation { Property.Name: "Factory" },
    };

    private static Diagnostic ThreadPoolDiagnostic(IInvocationOperation call, NumaTypes types)
    {
        var called = call.Syntax is InvocationExpressionSyntax { Expression: var expression } ? expression : call.Syntax;
        var text = called.ToString();
        return RunOnSameNode(call, types) is { } replacement
            ? Replacement.Create(Rules.ThreadPool, called.GetLocation(), call.Syntax, replacement, text)
            : Diagnostic.Create(Rules.ThreadPool, called.GetLocation(), text);
    }

    // For Task.Run in a lambda that RunOnNode got: the same call of RunOnNode, if scheduler and position are plain values that do
    // not change. The overloads of both are alike, but not the names of their parameters.
    private static string? RunOnSameNode(IInvocationOperation call, NumaTypes types) =>
        call is { TargetMethod.Name: "Run", Syntax: InvocationExpressionSyntax run }
        && run.Expression is MemberAccessExpressionSyntax { Name: IdentifierNameSyntax }
        && run.ArgumentList.Arguments.All(static argument => argument.NameColon is null)
        && call.Function()?.User() is IArgumentOperation { Parent: IInvocationOperation outer }
        && outer.TargetMethod.Name == "RunOnNode"
        && NumaTypes.Is(outer.TargetMethod.ContainingType, types.Scheduler)
        && outer.Instance?.Unwrapped() is { } scheduler
        && IsFixed(scheduler)
        && outer.ArgumentFor("nodeIndex") is { } index
        && (index.ConstantValue.HasValue || index is ILocalReferenceOperation { Local.IsForEach: true })
            ? $"{scheduler.Syntax}.RunOnNode({index.Syntax}, {run.ArgumentList.Arguments})"
            : null;

    private static bool IsFixed(IOperation scheduler) => scheduler switch
    {
        ILocalReferenceOperation or IParameterReferenceOperation => !scheduler.IsVariableWritten(),
        IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field.IsReadOnly,
        IPropertyReferenceOperation { Property: { IsStatic: true, Name: "Shared" } } => true,
        _ => false,
    };
}
