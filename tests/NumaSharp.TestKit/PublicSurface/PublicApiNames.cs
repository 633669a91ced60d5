using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace NumaSharp.TestKit;

/// <summary>Types, parameters and constants as C# writes them.</summary>
public static class PublicApiNames
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(nint)] = "nint",
        [typeof(nuint)] = "nuint",
        [typeof(char)] = "char",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(decimal)] = "decimal",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    public static string Of(Type type) => Write(type, nullability: null);

    /// <summary>The type of a return value, with ref and nullability.</summary>
    public static string Of(ParameterInfo returned)
    {
        var nullability = new NullabilityInfoContext().Create(returned);
        return (returned.ParameterType.IsByRef ? "ref " : "") + Write(returned.ParameterType, nullability)
            + Mark(nullability.ReadState, returned.ParameterType);
    }

    /// <summary>The type of an event's handlers.</summary>
    public static string Of(EventInfo raised) => Write(raised.EventHandlerType!, new NullabilityInfoContext().Create(raised));

    public static string Of(PropertyInfo property)
    {
        var nullability = new NullabilityInfoContext().Create(property);
        var state = property.CanRead ? nullability.ReadState : nullability.WriteState;
        return (property.PropertyType.IsByRef ? "ref " : "") + Write(property.PropertyType, nullability)
            + Mark(state, property.PropertyType);
    }

    public static string OfParameter(ParameterInfo parameter)
    {
        var isExtension = parameter.Position == 0 && parameter.Member.IsDefined(typeof(ExtensionAttribute), inherit: false);
        var isParams = Has<ParamArrayAttribute>(parameter) || Has<ParamCollectionAttribute>(parameter);
        var reference = parameter switch
        {
            { IsOut: true } => "out ",
            { ParameterType.IsByRef: true } when Has<RequiresLocationAttribute>(parameter) => "ref readonly ",
            { ParameterType.IsByRef: true, IsIn: true } => "in ",
            { ParameterType.IsByRef: true } => "ref ",
            _ => "",
        };

        // A span of params is scoped without a word.
        var scoped = isParams ? "params " : Has<ScopedRefAttribute>(parameter) ? "scoped " : "";
        var modifiers = (isExtension ? "this " : "") + scoped + reference;
        var nullability = new NullabilityInfoContext().Create(parameter);
        var optional = parameter.HasDefaultValue ? $" = {OfValue(parameter.DefaultValue)}" : "";
        return PromisesOf(parameter) + modifiers + Write(parameter.ParameterType, nullability)
            + $"{Mark(nullability.WriteState, parameter.ParameterType)} {parameter.Name}{optional}";
    }

    // What the compiler and analyzers of callers know of it: null states, members that must not be trimmed, formats of text.
    private static string PromisesOf(ParameterInfo parameter) => string.Concat(
        parameter.GetCustomAttributesData()
            .Where(static attribute => attribute.AttributeType.Namespace == typeof(NotNullWhenAttribute).Namespace)
            .Select(static attribute => $"[{attribute.AttributeType.Name[..^nameof(Attribute).Length]}"
                + (attribute.ConstructorArguments is { Count: > 0 } arguments
                    ? $"({string.Join(", ", arguments.Select(static argument => OfValue(argument.Value)))})] "
                    : "] "))
            .Order(StringComparer.Ordinal));

    private static bool Has<T>(ParameterInfo parameter)
        where T : Attribute => parameter.IsDefined(typeof(T), inherit: false);

    /// <summary>What a type or a method asks of its type arguments.</summary>
    public static string OfConstraints(IEnumerable<Type> parameters) => string.Concat(
        from parameter in parameters
        let constraints = ConstraintsOf(parameter).ToArray()
        where constraints.Length > 0
        select $" where {parameter.Name} : {string.Join(", ", constraints)}");

    public static string OfValue(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        Enum name => $"{name.GetType().Name}.{name}",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static string Write(Type type, NullabilityInfo? nullability)
    {
        if (s_keywords.TryGetValue(type, out var keyword))
        {
            return keyword;
        }

        return type switch
        {
            { IsByRef: true } => Write(type.GetElementType()!, nullability),
            { IsPointer: true } => Of(type.GetElementType()!) + "*",
            { IsArray: true } => WriteArgument(type.GetElementType()!, nullability?.ElementType)
                + "[" + new string(',', type.GetArrayRank() - 1) + "]",
            { IsGenericParameter: true } => type.Name,
            _ when Nullable.GetUnderlyingType(type) is { } value => Write(value, nullability) + "?",
            { IsGenericType: true } => $"{Nested(type)[..Nested(type).IndexOf('`', StringComparison.Ordinal)]}"
                + $"<{string.Join(", ", ArgumentsOf(type, nullability))}>",
            _ => Nested(type),
        };
    }

    private static IEnumerable<string> ArgumentsOf(Type type, NullabilityInfo? nullability) =>
        type.GetGenericArguments().Select((argument, i) => WriteArgument(argument, nullability?.GenericTypeArguments[i]));

    // Whether T may be null is up to its argument, which the state of a type parameter does not say.
    private static string WriteArgument(Type type, NullabilityInfo? nullability) => nullability is null || type.IsGenericParameter
        ? Write(type, nullability)
        : Write(type, nullability) + Mark(nullability.ReadState, type);

    private static IEnumerable<string> ConstraintsOf(Type parameter)
    {
        var flags = parameter.GenericParameterAttributes;
        var isStruct = flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        if (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
        {
            yield return "class";
        }
        else if (isStruct)
        {
            yield return parameter.CustomAttributes.Any(static mark => mark.AttributeType.Name == "IsUnmanagedAttribute")
                ? "unmanaged"
                : "struct";
        }

        foreach (var type in parameter.GetGenericParameterConstraints().Where(static type => type != typeof(ValueType)))
        {
            yield return Of(type);
        }

        if (!isStruct && flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint))
        {
            yield return "new()";
        }
    }

    private static string Nested(Type type) => type.IsNested ? $"{Nested(type.DeclaringType!)}.{type.Name}" : type.Name;

    private static string Mark(NullabilityState state, Type type) =>
        state == NullabilityState.Nullable && !(type.IsByRef ? type.GetElementType()! : type).IsValueType ? "?" : "";
}
