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

    public static string Of(Type type)
    {
        if (s_keywords.TryGetValue(type, out var keyword))
        {
            return keyword;
        }

        return type switch
        {
            { IsByRef: true } => Of(type.GetElementType()!),
            { IsPointer: true } => Of(type.GetElementType()!) + "*",
            { IsArray: true } => Of(type.GetElementType()!) + "[" + new string(',', type.GetArrayRank() - 1) + "]",
            { IsGenericParameter: true } => type.Name,
            _ when Nullable.GetUnderlyingType(type) is { } value => Of(value) + "?",
            { IsGenericType: true } => $"{Nested(type)[..Nested(type).IndexOf('`', StringComparison.Ordinal)]}"
                + $"<{string.Join(", ", type.GetGenericArguments().Select(Of))}>",
            _ => Nested(type),
        };
    }

    /// <summary>The type of a return value, with ref and nullability.</summary>
    public static string Of(ParameterInfo returned) =>
        (returned.ParameterType.IsByRef ? "ref " : "") + Of(returned.ParameterType)
        + Mark(new NullabilityInfoContext().Create(returned).ReadState, returned.ParameterType);

    public static string Of(PropertyInfo property)
    {
        var nullability = new NullabilityInfoContext().Create(property);
        var state = property.CanRead ? nullability.ReadState : nullability.WriteState;
        return (property.PropertyType.IsByRef ? "ref " : "") + Of(property.PropertyType) + Mark(state, property.PropertyType);
    }

    public static string OfParameter(ParameterInfo parameter)
    {
        var isExtension = parameter.Position == 0 && parameter.Member.IsDefined(typeof(ExtensionAttribute), inherit: false);
        var direction = parameter switch
        {
            { IsOut: true } => "out ",
            { ParameterType.IsByRef: true, IsIn: true } => "in ",
            { ParameterType.IsByRef: true } => "ref ",
            _ when isExtension => "this ",
            _ when parameter.IsDefined(typeof(ParamArrayAttribute), inherit: false) => "params ",
            _ => "",
        };
        var state = new NullabilityInfoContext().Create(parameter).WriteState;
        var optional = parameter.HasDefaultValue ? $" = {OfValue(parameter.DefaultValue)}" : "";
        return $"{direction}{Of(parameter.ParameterType)}{Mark(state, parameter.ParameterType)} {parameter.Name}{optional}";
    }

    public static string OfValue(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        Enum name => $"{name.GetType().Name}.{name}",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static string Nested(Type type) => type.IsNested ? $"{Nested(type.DeclaringType!)}.{type.Name}" : type.Name;

    private static string Mark(NullabilityState state, Type type) =>
        state == NullabilityState.Nullable && !(type.IsByRef ? type.GetElementType()! : type).IsValueType ? "?" : "";
}
