using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0003: a block, or memory of it, is used after the statement that returns the block.</summary>
/// <remarks>
/// Looks at the statements of one block of code: those after <c>block.Dispose();</c>, <c>handle.Return(block);</c>,
/// <c>using (block) { ... }</c> or a <c>finally</c> with one of them, up to a jump, a label, or an assignment of the variable.
/// Variables that a lambda or a local function uses are left out. A variable of <c>using</c> is returned at its end in any case.
/// </remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UsedAfterReturnAnalyzer : DiagnosticAnalyzer
{
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.UsedAfterReturn);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (NumaTypes.From(start.Compilation) is { } types)
            {
                start.RegisterOperationAction(
                    operation => Analyze(operation, types), OperationKind.Block, OperationKind.SwitchCase);
            }
        });
    }

    private static void Analyze(OperationAnalysisContext context, NumaTypes types)
    {
        var statements = context.Operation is ISwitchCaseOperation section
            ? section.Body
            : ((IBlockOperation)context.Operation).Operations;
        for (var i = 0; i < statements.Length; i++)
        {
            if (ReturnedBy(statements[i], types) is not { } block
                || new BlockVariable(block, types) is not { IsTracked: true } variable
                || (AroundReturn(statements[i]) is { } code && variable.IsAssignedIn(code)))
            {
                continue;
            }

            // The statements of a finally are those of a block, too.
            if (block is ILocalReferenceOperation { Local.IsUsing: true } && statements[i] is IExpressionStatementOperation)
            {
                Report(context, block.Syntax, "returned by its using");
            }
            else
            {
                AnalyzeAfter(context, statements, i + 1, variable);
            }
        }
    }

    private static void Report(OperationAnalysisContext context, SyntaxNode place, string what) =>
        context.ReportDiagnostic(Diagnostic.Create(Rules.UsedAfterReturn, place.GetLocation(), place.ToString(), what));

    private static void AnalyzeAfter(
        OperationAnalysisContext context, ImmutableArray<IOperation> statements, int first, BlockVariable block)
    {
        for (var i = first; i < statements.Length; i++)
        {
            var statement = statements[i];
            if (statement is ILabeledOperation || block.IsAssignedIn(statement))
            {
                return;
            }

            // One report for each return: the uses that follow have the same cause.
            if (statement.DescendantsAndSelf().FirstOrDefault(block.IsUse) is { } use)
            {
                // With what is before the ?. of block?.Memory.
                var place = use.Parent is IConditionalAccessOperation access && access.WhenNotNull == use ? access : use;
                Report(context, place.Syntax, "used");
                return;
            }

            if (statement is IReturnOperation or IThrowOperation or IBranchOperation)
            {
                return;
            }
        }
    }

    // Code that may give the variable another block before the statement ends.
    private static IOperation? AroundReturn(IOperation statement) => statement switch
    {
        ITryOperation { Finally: { } last } => last,
        IUsingOperation { Body: { } body } => body,
        _ => null,
    };

    // The variable whose block the statement returns, unless there is none.
    private static IOperation? ReturnedBy(IOperation statement, NumaTypes types) => statement switch
    {
        IExpressionStatementOperation { Operation: IInvocationOperation call } => ReturnedBy(call, types),
        IExpressionStatementOperation { Operation: IConditionalAccessOperation { WhenNotNull: IInvocationOperation call } } =>
            ReturnedBy(call, types),
        IUsingOperation { Resources: var resources } => resources.Unwrapped(),
        ITryOperation { Finally: { } last } =>
            last.Operations.Select(each => ReturnedBy(each, types)).FirstOrDefault(static each => each is not null),
        _ => null,
    };

    private static IOperation? ReturnedBy(IInvocationOperation call, NumaTypes types) => call.TargetMethod.Name switch
    {
        "Dispose" when call.Arguments.Length == 0 => call.Instance?.Unwrapped(),
        "Return" when NumaTypes.Is(call.TargetMethod.ContainingType, types.PoolHandle) => call.ArgumentFor("block"),
        _ => null,
    };
}
