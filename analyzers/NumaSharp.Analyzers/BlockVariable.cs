using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

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
