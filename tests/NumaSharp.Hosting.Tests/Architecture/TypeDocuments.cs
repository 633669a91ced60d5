using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>In which files a type is written, by the symbols beside its assembly (Portable PDB).</summary>
internal sealed class TypeDocuments : IDisposable
{
    // "Type Definition Documents": for types without code.
    private static readonly Guid s_typeDocuments = new("932E74BC-DBA9-4478-8D46-0F32A7BAB3D3");

    private readonly MetadataReaderProvider _symbols;
    private readonly MetadataReader _reader;

    public TypeDocuments(PEReader image, string path)
    {
        _symbols = image.TryOpenAssociatedPortablePdb(path, File.OpenRead, out var symbols, out _) && symbols is not null
            ? symbols
            : throw new FileNotFoundException("The assembly has no symbols beside it.", path);
        _reader = _symbols.GetMetadataReader();
    }

    public IEnumerable<string> Of(TypeDefinitionHandle handle, MetadataReader assembly) =>
        assembly.GetTypeDefinition(handle).GetMethods().SelectMany(OfMethod).Concat(OfType(handle))
            .Distinct()
            .Select(document => _reader.GetString(_reader.GetDocument(document).Name));

    public void Dispose() => _symbols.Dispose();

    // A constructor has the initializers of all parts, so it may be in several files.
    private IEnumerable<DocumentHandle> OfMethod(MethodDefinitionHandle method)
    {
        var information = _reader.GetMethodDebugInformation(method.ToDebugInformationHandle());
        if (!information.Document.IsNil)
        {
            return [information.Document];
        }

        return information.SequencePointsBlob.IsNil
            ? []
            : [.. information.GetSequencePoints().Select(static point => point.Document)];
    }

    private IEnumerable<DocumentHandle> OfType(TypeDefinitionHandle handle) =>
        from each in _reader.GetCustomDebugInformation(handle)
        let information = _reader.GetCustomDebugInformation(each)
        where _reader.GetGuid(information.Kind) == s_typeDocuments
        from row in RowsOf(information.Value)
        select MetadataTokens.DocumentHandle(row);

    private List<int> RowsOf(BlobHandle blob)
    {
        var rows = new List<int>();
        for (var reader = _reader.GetBlobReader(blob); reader.RemainingBytes > 0;)
        {
            rows.Add(reader.ReadCompressedInteger());
        }

        return rows;
    }
}
