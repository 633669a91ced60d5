using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace NumaSharp.TestKit;

/// <summary>The public surface of an assembly as text, a member a line, in an order that does not depend on the build.</summary>
public static class PublicApi
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    /// <summary>Compares the surface with the committed file; with UPDATE_PUBLIC_API=1 writes the file instead.</summary>
    public static void Verify(Assembly assembly, string file)
    {
        var actual = Describe(assembly);
        if (Environment.GetEnvironmentVariable("UPDATE_PUBLIC_API") == "1")
        {
            File.WriteAllText(file, actual);
        }

        var expected = File.Exists(file) ? File.ReadAllText(file).ReplaceLineEndings("\n") : "";
        var before = expected.Split('\n').ToHashSet(StringComparer.Ordinal);
        var after = actual.Split('\n').ToHashSet(StringComparer.Ordinal);
        Assert.True(
            expected == actual,
            $"The public API of {assembly.GetName().Name} is not what {file} says. If that is wanted, run the tests with "
            + "UPDATE_PUBLIC_API=1 and commit the file.\n"
            + string.Concat(before.Except(after).Select(static line => $"- {line.Trim()}\n"))
            + string.Concat(after.Except(before).Select(static line => $"+ {line.Trim()}\n")));
    }

    public static string Describe(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (var type in assembly.GetExportedTypes().OrderBy(static type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(DescribeType(type)).Append('\n');
            foreach (var member in MembersOf(type).Order(StringComparer.Ordinal))
            {
                text.Append("    ").Append(member).Append('\n');
            }
        }

        return text.ToString();
    }

    private static string DescribeType(Type type)
    {
        var kind = type switch
        {
            { IsEnum: true } => $"{ModifiersOf(type)}enum {type.FullName} : {PublicApiNames.Of(Enum.GetUnderlyingType(type))}",
            { IsInterface: true } => $"interface {NameOf(type)}",
            { IsValueType: true } => $"{ModifiersOf(type)}struct {NameOf(type)}",
            _ when type.IsSubclassOf(typeof(Delegate)) => $"delegate {NameOf(type)}",
            { IsAbstract: true, IsSealed: true } => $"static class {NameOf(type)}",
            { IsAbstract: true } => $"abstract class {NameOf(type)}",
            { IsSealed: true } => $"sealed class {NameOf(type)}",
            _ => $"class {NameOf(type)}",
        };
        var bases = type.GetInterfaces()
            .Where(static contract => contract.IsPublic)
            .Select(PublicApiNames.Of)
            .Order(StringComparer.Ordinal)
            .ToList();
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
        {
            bases.Insert(0, PublicApiNames.Of(parent));
        }

        return (type.IsEnum || bases.Count == 0 ? kind : $"{kind} : {string.Join(", ", bases)}")
            + PublicApiNames.OfConstraints(type.GetGenericArguments())
            + ExperimentalOf(type);
    }

    private static string ModifiersOf(Type type) =>
        (type.IsDefined(typeof(FlagsAttribute), inherit: false) ? "flags " : "")
        + (type.IsDefined(typeof(IsReadOnlyAttribute), inherit: false) ? "readonly " : "")
        + (type.IsByRefLike ? "ref " : "");

    private static string NameOf(Type type) => $"{type.Namespace}.{PublicApiNames.Of(type)}";

    private static IEnumerable<string> MembersOf(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name =>
                $"{name} = {PublicApiNames.OfValue(Convert.ToInt64(Enum.Parse(type, name), CultureInfo.InvariantCulture))}");
        }

        return type.GetConstructors(Declared).Where(IsVisible).Select(static constructor =>
                $"new({ParametersOf(constructor)}){ExperimentalOf(constructor)}")
            .Concat(type.GetMethods(Declared).Where(IsOrdinary).Select(DescribeMethod))
            .Concat(type.GetProperties(Declared).Where(IsVisible).Select(DescribeProperty))
            .Concat(type.GetFields(Declared).Where(IsVisible).Select(DescribeField))
            .Concat(type.GetEvents(Declared).Where(static e => IsVisible(e.AddMethod)).Select(static e =>
                $"event {PublicApiNames.Of(e)} {e.Name}{ExperimentalOf(e)}"));
    }

    private static string DescribeMethod(MethodInfo method)
    {
        var generic = method.IsGenericMethod
            ? $"<{string.Join(", ", method.GetGenericArguments().Select(PublicApiNames.Of))}>"
            : "";
        return $"{ModifiersOf(method)}{PublicApiNames.Of(method.ReturnParameter)} {method.Name}{generic}({ParametersOf(method)})"
            + PublicApiNames.OfConstraints(method.GetGenericArguments())
            + ExperimentalOf(method);
    }

    private static string DescribeProperty(PropertyInfo property)
    {
        var accessor = property.GetMethod ?? property.SetMethod!;
        var index = property.GetIndexParameters() is { Length: > 0 } parameters
            ? $"[{string.Join(", ", parameters.Select(PublicApiNames.OfParameter))}]"
            : "";
        var get = IsVisible(property.GetMethod) ? " get;" : "";
        var set = IsVisible(property.SetMethod) ? (IsInit(property.SetMethod!) ? " init;" : " set;") : "";
        var required = property.IsDefined(typeof(RequiredMemberAttribute), inherit: false) ? "required " : "";
        return $"{required}{ModifiersOf(accessor)}{PublicApiNames.Of(property)} {property.Name}{index} {{{get}{set} }}"
            + ExperimentalOf(property);
    }

    private static string DescribeField(FieldInfo field)
    {
        var modifier = field.IsLiteral ? "const " : field.IsStatic ? "static " : "";
        var value = field.IsLiteral ? $" = {PublicApiNames.OfValue(field.GetRawConstantValue())}" : "";
        return $"{modifier}{PublicApiNames.Of(field.FieldType)} {field.Name}{value}{ExperimentalOf(field)}";
    }

    private static string ExperimentalOf(MemberInfo member) =>
        member.GetCustomAttribute<ExperimentalAttribute>(inherit: false) is { } mark
            ? $" [Experimental(\"{mark.DiagnosticId}\")]"
            : "";

    private static string ParametersOf(MethodBase method) =>
        string.Join(", ", method.GetParameters().Select(PublicApiNames.OfParameter));

    private static string ModifiersOf(MethodBase method)
    {
        var access = method.IsPublic || method.DeclaringType!.IsInterface ? "" : "protected ";
        var kind = method switch
        {
            { IsStatic: true } => "static ",
            { IsAbstract: true } => method.DeclaringType!.IsInterface ? "" : "abstract ",
            MethodInfo { IsVirtual: true } info when info.GetBaseDefinition() != info => "override ",
            { IsVirtual: true, IsFinal: false } => "virtual ",
            _ => "",
        };
        return access + kind;
    }

    private static bool IsOrdinary(MethodInfo method) =>
        IsVisible(method) && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal));

    private static bool IsVisible(PropertyInfo property) => IsVisible(property.GetMethod) || IsVisible(property.SetMethod);

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static bool IsVisible(MethodBase? method) =>
        method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    private static bool IsInit(MethodInfo setter) =>
        setter.ReturnParameter.GetRequiredCustomModifiers().Any(static modifier => modifier.Name == "IsExternalInit");
}
