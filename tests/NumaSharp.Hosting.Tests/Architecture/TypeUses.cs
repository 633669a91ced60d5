using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>Collects the types of the same assembly that a type refers to: in its declaration, signatures and IL.</summary>
internal sealed class TypeUses(PEReader image, MetadataReader reader, Func<TypeDefinitionHandle, string> nameOf)
    : ISignatureTypeProvider<object?, object?>
{
    private readonly HashSet<string> _uses = new(StringComparer.Ordinal);

    public IReadOnlySet<string> Of(TypeDefinitionHandle handle)
    {
        var type = reader.GetTypeDefinition(handle);
        Use(type.BaseType);
        foreach (var contract in type.GetInterfaceImplementations())
        {
            Use(reader.GetInterfaceImplementation(contract).Interface);
        }

        foreach (var field in type.GetFields())
        {
            reader.GetFieldDefinition(field).DecodeSignature(this, null);
        }

        foreach (var method in type.GetMethods())
        {
            UseMethod(reader.GetMethodDefinition(method));
        }

        return _uses;
    }

    public object? GetTypeFromDefinition(MetadataReader source, TypeDefinitionHandle handle, byte rawTypeKind)
    {
        _uses.Add(nameOf(handle));
        return null;
    }

    public object? GetTypeFromSpecification(
        MetadataReader source, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        source.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public object? GetTypeFromReference(MetadataReader source, TypeReferenceHandle handle, byte rawTypeKind) => null;

    public object? GetSZArrayType(object? elementType) => null;

    public object? GetArrayType(object? elementType, ArrayShape shape) => null;

    public object? GetByReferenceType(object? elementType) => null;

    public object? GetPointerType(object? elementType) => null;

    public object? GetPinnedType(object? elementType) => null;

    public object? GetPrimitiveType(PrimitiveTypeCode typeCode) => null;

    public object? GetModifiedType(object? modifier, object? unmodifiedType, bool isRequired) => null;

    public object? GetFunctionPointerType(MethodSignature<object?> signature) => null;

    public object? GetGenericInstantiation(object? genericType, ImmutableArray<object?> typeArguments) => null;

    public object? GetGenericMethodParameter(object? genericContext, int index) => null;

    public object? GetGenericTypeParameter(object? genericContext, int index) => null;

    private void UseMethod(MethodDefinition method)
    {
        method.DecodeSignature(this, null);
        if (method.RelativeVirtualAddress == 0)
        {
            return;
        }

        var body = image.GetMethodBody(method.RelativeVirtualAddress);
        if (!body.LocalSignature.IsNil)
        {
            reader.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(this, null);
        }

        foreach (var token in IntermediateLanguage.TokensOf(body.GetILBytes()))
        {
            Use(MetadataTokens.EntityHandle(token));
        }
    }

    private void Use(EntityHandle handle)
    {
        if (handle.IsNil)
        {
            return;
        }

        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition:
                _uses.Add(nameOf((TypeDefinitionHandle)handle));
                break;
            case HandleKind.TypeSpecification:
                reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(this, null);
                break;
            case HandleKind.MethodDefinition:
                Use(reader.GetMethodDefinition((MethodDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.FieldDefinition:
                Use(reader.GetFieldDefinition((FieldDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.MemberReference:
                Use(reader.GetMemberReference((MemberReferenceHandle)handle).Parent);
                break;
            case HandleKind.MethodSpecification:
                var method = reader.GetMethodSpecification((MethodSpecificationHandle)handle);
                Use(method.Method);
                method.DecodeSignature(this, null);
                break;
        }
    }
}
