using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

internal static class OperationParts
{
    /// <summary>What a conversion or a pair of parentheses is around, and what is before <c>?.</c>.</summary>
    public static IOperation Unwrapped(this IOperation operation)
    {
        while (true)
        {
            switch (operation)
            {
                case IConversionOperation conversion:
                    operation = conversion.Operand;
                    break;
                case IParenthesizedOperation parenthesized:
                    operation = parenthesized.Operand;
                    break;
                case IDelegateCreationOperation creation:
                    operation = creation.Target;
                    break;
                case IConditionalAccessInstanceOperation instance when BeforeQuestionMark(instance) is { } receiver:
                    operation = receiver;
                    break;
                default:
                    return operation;
            }
        }
    }

    /// <summary>What uses the operation, past conversions, parentheses and the creation of a delegate.</summary>
    public static IOperation? User(this IOperation operation)
    {
        var user = operation.Parent;
        while (user is IConversionOperation or IParenthesizedOperation or IDelegateCreationOperation)
        {
            user = user.Parent;
        }

        return user;
    }

    /// <summary>The outermost operation of the member.</summary>
    public static IOperation Root(this IOperation operation)
    {
        while (operation.Parent is { } parent)
        {
            operation = parent;
        }

        return operation;
    }

    /// <summary>The lambda or local function that the operation is in; <see langword="null"/> in the member itself.</summary>
    public static IOperation? Function(this IOperation operation)
    {
        var function = operation.Parent;
        while (function is not (null or IAnonymousFunctionOperation or ILocalFunctionOperation))
        {
            function = function.Parent;
        }

        return function;
    }

    /// <summary>The symbol of a local, a parameter, or a field of this object or of a type.</summary>
    public static ISymbol? Variable(this IOperation? operation) => operation switch
    {
        ILocalReferenceOperation local => local.Local,
        IParameterReferenceOperation parameter => parameter.Parameter,
        IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field,
        _ => null,
    };

    /// <summary>Whether the member assigns the variable that this refers to, or may do so through a reference.</summary>
    public static bool IsVariableWritten(this IOperation reference) =>
        reference.Variable() is { } variable
        && reference.Root().Descendants().Any(each =>
            SymbolEqualityComparer.Default.Equals(each.Variable(), variable) && each.IsWrite());

    /// <summary>Whether this reference to a variable assigns it, or makes a reference through which it can be assigned.</summary>
    public static bool IsWrite(this IOperation reference) => reference.Parent switch
    {
        IAssignmentOperation assignment => assignment.Target == reference,
        IIncrementOrDecrementOperation or IAddressOfOperation => true,
        IArgumentOperation argument => argument.Parameter?.RefKind is RefKind.Ref or RefKind.Out,
        ITupleOperation tuple => IsTarget(tuple),
        IVariableInitializerOperation { Parent: IVariableDeclaratorOperation { Symbol.IsRef: true } } => true,
        _ => false,
    };

    /// <summary>What a local is declared with, if nothing else is assigned to it.</summary>
    public static IOperation? OnlyValue(this ILocalReferenceOperation local) =>
        local.IsVariableWritten()
            ? null
            : local.Root().Descendants()
                .OfType<IVariableDeclaratorOperation>()
                .FirstOrDefault(declarator => SymbolEqualityComparer.Default.Equals(declarator.Symbol, local.Local))
                ?.Initializer?.Value.Unwrapped();

    public static IOperation? ArgumentFor(this IInvocationOperation call, string parameter) =>
        call.Arguments.ValueFor(parameter);

    public static IOperation? ArgumentFor(this IObjectCreationOperation creation, string parameter) =>
        creation.Arguments.ValueFor(parameter);

    private static IOperation? ValueFor(this ImmutableArray<IArgumentOperation> arguments, string parameter)
    {
        foreach (var argument in arguments)
        {
            if (argument.Parameter?.Name == parameter && argument.ArgumentKind != ArgumentKind.DefaultValue)
            {
                return argument.Value.Unwrapped();
            }
        }

        return null;
    }

    // Of the tuple, or of a tuple that it is a part of.
    private static bool IsTarget(ITupleOperation tuple) => tuple.Parent switch
    {
        IDeconstructionAssignmentOperation assignment => assignment.Target == tuple,
        ITupleOperation outer => IsTarget(outer),
        _ => false,
    };

    private static IOperation? BeforeQuestionMark(IConditionalAccessInstanceOperation instance)
    {
        IOperation part = instance;
        while (part.Parent is { } parent)
        {
            if (parent is IConditionalAccessOperation access && access.WhenNotNull == part)
            {
                return access.Operation;
            }

            part = parent;
        }

        return null;
    }
}
