using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>What an assembly's types refer to, read from its metadata and IL without loading it.</summary>
internal sealed class AssemblyMetadata : IDisposable
{
    private readonly PEReader _image;
    private readonly MetadataReader _reader;

    public AssemblyMetadata(string path)
    {
        _image = new PEReader(File.OpenRead(path));
        _reader = _image.GetMetadataReader();
    }

    public IEnumerable<string> ReferencedAssemblies =>
        _reader.AssemblyReferences.Select(handle => _reader.GetString(_reader.GetAssemblyReference(handle).Name));

    /// <summary>The types of this assembly: full name, and the full names of the types of this assembly that it refers to.</summary>
    public IEnumerable<(string Name, IReadOnlySet<string> Uses)> Types() =>
        _reader.TypeDefinitions.Select(handle => (NameOf(handle), new TypeUses(_image, _reader, NameOf).Of(handle)));

    public void Dispose() => _image.Dispose();

    // Nested types count as their outermost type.
    private string NameOf(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        while (!type.GetDeclaringType().IsNil)
        {
            type = _reader.GetTypeDefinition(type.GetDeclaringType());
        }

        return $"{_reader.GetString(type.Namespace)}.{_reader.GetString(type.Name)}";
    }
}
