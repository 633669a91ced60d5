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

/// <summary>A local or a parameter that holds a rented block, and the locals that hold parts of its memory.</summary>
internal sealed class BlockVariable
{
    private readonly ISymbol? _variable;
    private readonly NumaTypes _types;
    private readonly HashSet<ISymbol> _views = new(SymbolEqualityComparer.Default);

    public BlockVariable(IOperation reference, NumaTypes types)
    {
        _types = types;
        if (reference is not (ILocalReferenceOperation or IParameterReferenceOperation)
            || !HoldsBlock(reference)
            || IsCaptured(reference.Variable()!, reference))
        {
            return;
        }

        _variable = reference.Variable();
        if (reference.IsVariableWritten())
        {
            // Memory that was taken before the assignment may be another block's.
            return;
        }

        foreach (var declarator in reference.Root().Descendants().OfType<IVariableDeclaratorOperation>())
        {
            if (declarator is { Symbol: { IsRef: false } view, Initializer.Value: { } value }
                && IsMemoryOf(value.Unwrapped())
                && !IsCaptured(view, reference)
                && !IsAssignedIn(reference.Root(), view))
            {
                _views.Add(view);
            }
        }
    }

    /// <summary>Whether it can be followed.</summary>
    public bool IsTracked => _variable is not null;

    public bool IsAssignedIn(IOperation statement) => IsAssignedIn(statement, _variable!);

    /// <summary>Whether the operation uses memory of the block, or returns the block once more.</summary>
    public bool IsUse(IOperation operation) => operation switch
    {
        { Parent: INameOfOperation } => false,
        IPropertyReferenceOperation { Property.Name: "Memory" or "Pointer", Instance: { } owner } => Is(owner),
        IInvocationOperation { TargetMethod.Name: "Dispose" or "GetSpan" or "Pin", Instance: { } owner } => Is(owner),
        IInvocationOperation { TargetMethod.Name: "Return" } call when
            NumaTypes.Is(call.TargetMethod.ContainingType, _types.PoolHandle) =>
            call.ArgumentFor("block") is { } block && Is(block),
        ILocalReferenceOperation local when _views.Contains(local.Local) => !ReadsLength(local),
        _ => false,
    };

    // Block itself, or an owner that a pool of ours made: one of another pool may allow what ours does not.
    private bool HoldsBlock(IOperation reference) => reference switch
    {
        _ when NumaTypes.Is(reference.Type, _types.Block) => true,
        ILocalReferenceOperation local when NumaTypes.Is(local.Type, _types.MemoryOwner) =>
            local.OnlyValue() is IInvocationOperation { TargetMethod: { Name: "Rent" } rent }
            && (NumaTypes.Is(rent.ContainingType, _types.Pool) || NumaTypes.Is(rent.ContainingType, _types.PoolOfT)),
        _ => false,
    };

    private bool Is(IOperation operation) =>
        SymbolEqualityComparer.Default.Equals(operation.Unwrapped().Variable(), _variable);

    // block.Memory, block.Pointer, block.GetSpan(), and their Span or slices; also of a local that is one of these.
    private bool IsMemoryOf(IOperation value) => value switch
    {
        IPropertyReferenceOperation { Property.Name: "Memory" or "Pointer", Instance: { } owner } => Is(owner),
        IInvocationOperation { TargetMethod.Name: "GetSpan", Instance: { } owner } => Is(owner),
        IPropertyReferenceOperation { Property.Name: "Span", Instance: { } memory } => IsMemoryOf(memory.Unwrapped()),
        IInvocationOperation { TargetMethod.Name: "Slice", Instance: { } memory } => IsMemoryOf(memory.Unwrapped()),
        IImplicitIndexerReferenceOperation { IndexerSymbol.Name: "Slice", Instance: var memory } =>
            IsMemoryOf(memory.Unwrapped()),
        ILocalReferenceOperation local => _views.Contains(local.Local),
        _ => false,
    };

    private static bool ReadsLength(ILocalReferenceOperation view) =>
        view.Parent is IPropertyReferenceOperation { Property.Name: "Length" or "IsEmpty" };

    private static bool IsAssignedIn(IOperation code, ISymbol variable) =>
        code.DescendantsAndSelf().Any(each =>
            SymbolEqualityComparer.Default.Equals(each.Variable(), variable) && each.IsWrite());

    // A lambda or a local function may run at any time.
    private static bool IsCaptured(ISymbol variable, IOperation reference) =>
        reference.Root().Descendants().Any(each =>
            SymbolEqualityComparer.Default.Equals(each.Variable(), variable)
            && !SymbolEqualityComparer.Default.Equals(variable.ContainingSymbol, FunctionOf(each) ?? variable.ContainingSymbol));

    private static ISymbol? FunctionOf(IOperation operation) => operation.Function() switch
    {
        IAnonymousFunctionOperation lambda => lambda.Symbol,
        ILocalFunctionOperation local => local.Symbol,
        _ => null,
    };
}
