using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
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

    // A task that is awaited, a sequence of await foreach, or a resource of await using, with ConfigureAwait(false) or options
    // that do not keep the context.
    private static bool LeavesContext(IInvocationOperation call, NumaTypes types) =>
        call.TargetMethod.ContainingType is var type
        && call.User() switch
        {
            IAwaitOperation => types.IsTask(type) || types.IsValueTask(type),
            IForEachLoopOperation { IsAsynchronous: true } => types.ConfiguresSequenceOrDisposal(type),
            _ => AwaitUsingOf(call) is not null && types.ConfiguresSequenceOrDisposal(type),
        }
        && OptionOf(call) switch
        {
            bool keepsContext => !keepsContext,
            int options => (options & ContinueOnCapturedContext) == 0,
            _ => false,
        };

    private static object? OptionOf(IInvocationOperation configureAwait) =>
        (configureAwait.ArgumentFor("continueOnCapturedContext") ?? configureAwait.ArgumentFor("options"))?.ConstantValue.Value;

    private static void AnalyzeAwait(
        OperationAnalysisContext context, IInvocationOperation call, NumaTypes types, NodeCode code)
    {
        // In an item an await leaves the node in any case. A body that switches nodes by itself comes back where it wants to.
        if (call.Syntax is not InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access } syntax
            || syntax.ArgumentList.Arguments.Count != 1
            || IsEndOfBody(call)
            || ResumesOnLoop(call)
            || KindOf(context, code) != NodeCodeKind.Task
            || SwitchesNodes(call, types))
        {
            return;
        }

        var place = Location.Create(syntax.SyntaxTree, TextSpan.FromBounds(access.Name.SpanStart, syntax.Span.End));
        var text = syntax.ToString().Substring(access.Name.SpanStart - syntax.SpanStart);
        context.ReportDiagnostic(OptionOf(call) is bool
            ? Replacement.Create(Rules.ConfigureAwait, place, syntax, access.Expression.ToString(), text)
            : Diagnostic.Create(Rules.ConfigureAwait, place, text));
    }

    // await using (resource.ConfigureAwait(false)) and await using var it = resource.ConfigureAwait(false);
    private static StatementSyntax? AwaitUsingOf(IInvocationOperation call) =>
        (call.Syntax.Parent is EqualsValueClauseSyntax value ? value.Parent?.Parent?.Parent : call.Syntax.Parent) switch
        {
            UsingStatementSyntax { AwaitKeyword.RawKind: not 0 } statement => statement,
            LocalDeclarationStatementSyntax { AwaitKeyword.RawKind: not 0 } declaration => declaration,
            _ => null,
        };

    // Nothing follows in async () => await task.ConfigureAwait(false), in a return, and in the last statement.
    private static bool IsEndOfBody(IInvocationOperation call)
    {
        if (AwaitUsingOf(call) is { } resource)
        {
            // One that is declared is disposed of at the end of its block.
            var last = resource is LocalDeclarationStatementSyntax { Parent: BlockSyntax block } ? block : resource;
            return IsLast(last) && !IsBeforeCleanUp(resource);
        }

        return call.User() is IAwaitOperation awaited && UserOf(awaited.Syntax) switch
        {
            LambdaExpressionSyntax or ArrowExpressionClauseSyntax => true,
            ReturnStatementSyntax end => !IsBeforeCleanUp(end),
            ExpressionStatementSyntax statement => IsLast(statement) && !IsBeforeCleanUp(statement),
            _ => false,
        };
    }

    // Past parentheses, and past _ = await task;
    private static SyntaxNode? UserOf(SyntaxNode awaited) => awaited.Parent switch
    {
        ParenthesizedExpressionSyntax parentheses => UserOf(parentheses),
        AssignmentExpressionSyntax
        {
            Left: IdentifierNameSyntax { Identifier.ValueText: "_" }, Parent: ExpressionStatementSyntax statement,
        } => statement,
        var user => user,
    };

    // Whether the function ends after the statement: it is the last one, also of a block or of an if that is last, or before a
    // return without a value.
    private static bool IsLast(StatementSyntax statement) => statement.Parent switch
    {
        BlockSyntax block => StatementAfter(statement, block) switch
        {
            null => IsLast(block),
            ReturnStatementSyntax { Expression: null } => true,
            _ => false,
        },
        IfStatementSyntax condition => IsLast(condition),
        ElseClauseSyntax { Parent: IfStatementSyntax condition } => IsLast(condition),
        var parent => IsFunction(parent),
    };

    private static StatementSyntax? StatementAfter(StatementSyntax statement, BlockSyntax block) => block.Statements
        .Where(static each => each is not LocalFunctionStatementSyntax)
        .FirstOrDefault(each => each.SpanStart > statement.SpanStart);

    // Whether a catch, a finally or a disposal may follow the end.
    private static bool IsBeforeCleanUp(SyntaxNode end)
    {
        foreach (var each in end.Ancestors().TakeWhile(static node => !IsFunction(node)))
        {
            if (each is TryStatementSyntax or UsingStatementSyntax or CommonForEachStatementSyntax
                || (each is BlockSyntax block
                    && block.Statements.TakeWhile(before => before.SpanStart < end.SpanStart).Any(IsUsing)))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsFunction(SyntaxNode? node) =>
        node is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or MethodDeclarationSyntax;

    private static bool IsUsing(StatementSyntax statement) =>
        statement is LocalDeclarationStatementSyntax declaration && declaration.UsingKeyword.IsKind(SyntaxKind.UsingKeyword);

    // The calls of a datagram socket's shard: code after them runs on the loop's thread, unless it captured a context.
    private static bool ResumesOnLoop(IInvocationOperation call)
    {
        for (IOperation? each = call;
            each?.Unwrapped() is IInvocationOperation part;
            each = part.Instance ?? part.ArgumentFor("source"))
        {
            if (part.TargetMethod.ContainingType is { Name: "NumaUdpShard" } type
                && type.ContainingNamespace.ToDisplayString() == "NumaSharp.Udp")
            {
                return true;
            }
        }

        return false;
    }

    private static bool SwitchesNodes(IOperation operation, NumaTypes types)
    {
        var function = operation.Function();
        return (function ?? operation.Root()).Descendants().Any(each =>
            each is IAwaitOperation awaited
            && NumaTypes.Is(awaited.Operation.Type, types.SwitchAwaitable)
            && each.Function() == function);
    }

    private static bool LeavesScheduler(IInvocationOperation startNew, NumaTypes types, NodeCodeKind kind) => kind switch
    {
        NodeCodeKind.Unknown => false,
        _ when startNew.ArgumentFor("scheduler") is { } scheduler =>
            scheduler is IPropertyReferenceOperation { Property: { Name: "Default" } property }
            && NumaTypes.Is(property.ContainingType, types.TaskScheduler),

        // A factory without a scheduler takes that of the running task.
        NodeCodeKind.Task => false,
        _ => startNew.Instance is IPropertyReferenceOperation { Property: { Name: "Factory" } property }
            && types.IsTask(property.ContainingType),
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
        && call.Function() is IAnonymousFunctionOperation lambda
        && lambda.User() is IArgumentOperation { Parent: IInvocationOperation outer }
        && outer.TargetMethod.Name == "RunOnNode"
        && NumaTypes.Is(outer.TargetMethod.ContainingType, types.Scheduler)
        && outer.Syntax is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Expression: var scheduler } }
        && outer.Instance is { } instance
        && IsFixed(instance.Unwrapped(), lambda.Symbol.IsStatic)
        && outer.ArgumentFor("nodeIndex") is { } index
        && (index.ConstantValue.HasValue
            || (index is ILocalReferenceOperation { Local.IsForEach: true } && !lambda.Symbol.IsStatic))
            ? $"{scheduler}.RunOnNode({index.Syntax}, {run.ArgumentList.Arguments})"
            : null;

    // A static lambda can use nothing but what is static.
    private static bool IsFixed(IOperation scheduler, bool isInStaticLambda) => scheduler switch
    {
        ILocalReferenceOperation or IParameterReferenceOperation => !isInStaticLambda && !scheduler.IsVariableWritten(),
        IFieldReferenceOperation { Field: { IsReadOnly: true, IsStatic: var isStatic } } field =>
            isStatic || (!isInStaticLambda && field.Instance is IInstanceReferenceOperation),
        IPropertyReferenceOperation { Property: { IsStatic: true, Name: "Shared" } } => true,
        _ => false,
    };
}
