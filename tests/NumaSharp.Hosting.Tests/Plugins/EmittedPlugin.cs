using System.Reflection;
using System.Reflection.Emit;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>Plugin assemblies with one mistake each.</summary>
internal static class EmittedPlugin
{
    private const MethodAttributes Overrides =
        MethodAttributes.Public | MethodAttributes.Virtual | MethodAttributes.HideBySig | MethodAttributes.Final;

    public static byte[] WhoseConstructorThrows() =>
        Emit(static entry => AddConstructor(entry, MethodAttributes.Public, throws: true));

    public static byte[] WithoutPublicConstructor() =>
        Emit(static entry => AddConstructor(entry, MethodAttributes.Private, throws: false));

    public static byte[] WhoseRegisterThrows() => Emit(
        static entry => AddConstructor(entry, MethodAttributes.Public, throws: false), registerThrows: true);

    public static byte[] WithoutProviders() =>
        Emit(static entry => AddConstructor(entry, MethodAttributes.Public, throws: false));

    public static byte[] WhoseEntryIsNoPlugin() => Emit(
        static entry => AddConstructor(entry, MethodAttributes.Public, throws: false), isPlugin: false);

    private static byte[] Emit(Action<TypeBuilder> addConstructor, bool registerThrows = false, bool isPlugin = true)
    {
        var assembly = new PersistedAssemblyBuilder(new AssemblyName("Emitted.Numa"), typeof(object).Assembly);
        var entry = assembly.DefineDynamicModule("Emitted.Numa").DefineType(
            "Emitted.Entry",
            TypeAttributes.Public | TypeAttributes.Sealed,
            typeof(object),
            isPlugin ? [typeof(INumaPlugin)] : []);
        addConstructor(entry);
        if (isPlugin)
        {
            AddRegister(entry, registerThrows);
        }

        assembly.SetCustomAttribute(new CustomAttributeBuilder(
            typeof(NumaPluginAttribute).GetConstructor([typeof(Type)])!, [entry.CreateType()]));
        using var stream = new MemoryStream();
        assembly.Save(stream);
        return stream.ToArray();
    }

    private static void AddConstructor(TypeBuilder entry, MethodAttributes access, bool throws)
    {
        var code = entry.DefineConstructor(access | MethodAttributes.HideBySig, CallingConventions.Standard, []).GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Call, typeof(object).GetConstructor([])!);
        End(code, throws, "constructor says no");
    }

    private static void AddRegister(TypeBuilder entry, bool throws)
    {
        var method = entry.DefineMethod(nameof(INumaPlugin.Register), Overrides, null, [typeof(INumaBuilder)]);
        End(method.GetILGenerator(), throws, "register says no");
        entry.DefineMethodOverride(method, typeof(INumaPlugin).GetMethod(nameof(INumaPlugin.Register))!);
    }

    private static void End(ILGenerator code, bool throws, string message)
    {
        if (throws)
        {
            code.Emit(OpCodes.Ldstr, message);
            code.Emit(OpCodes.Newobj, typeof(InvalidOperationException).GetConstructor([typeof(string)])!);
            code.Emit(OpCodes.Throw);
        }
        else
        {
            code.Emit(OpCodes.Ret);
        }
    }
}
