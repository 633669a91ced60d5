using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>What an assembly's types refer to, read from its metadata and IL without loading it.</summary>
internal sealed class AssemblyMetadata : IDisposable
{
    private readonly string _path;
    private readonly PEReader _image;
    private readonly MetadataReader _reader;

    public AssemblyMetadata(string path)
    {
        _path = path;
        _image = new PEReader(File.OpenRead(path));
        _reader = _image.GetMetadataReader();
    }

    public IEnumerable<string> ReferencedAssemblies =>
        _reader.AssemblyReferences.Select(handle => _reader.GetString(_reader.GetAssemblyReference(handle).Name));

    /// <summary>A project's assembly: beside this one, or where its own project is built, in the same configuration.</summary>
    public static AssemblyMetadata Open(string name)
    {
        var here = Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory);
        var file = Path.Combine(here, $"{name}.dll");
        return new(File.Exists(file)
            ? file
            : Path.Combine(here, "..", "..", name, Path.GetFileName(here), $"{name}.dll"));
    }

    /// <summary>The types of this assembly, each with the types of this assembly that it refers to, by full name.</summary>
    public IEnumerable<(string Name, IReadOnlySet<string> Uses)> Types() =>
        _reader.TypeDefinitions.Select(handle => (NameOf(handle), new TypeUses(_image, _reader, NameOf).Of(handle)));

    /// <summary>
    /// The folders, below that of the project, of the files in which each type is written: <c>Memory/Pools</c>, empty for the
    /// project's own. What a generator has written is in none.
    /// </summary>
    /// <param name="project">The folder of the project, from the repository's root.</param>
    public ILookup<string, string> Folders(string project)
    {
        using var documents = new TypeDocuments(_image, _path);
        var folders =
            from handle in _reader.TypeDefinitions
            from document in documents.Of(handle, _reader)
            let folder = FolderOf(document, project)
            where folder is not null
            select (Type: NameOf(handle), Folder: folder!);
        return folders.Distinct().ToLookup(static it => it.Type, static it => it.Folder, StringComparer.Ordinal);
    }

    /// <summary>The references between the types that are written in the project's files.</summary>
    /// <param name="project">The folder of the project, from the repository's root.</param>
    public IReadOnlyCollection<FolderReference> References(string project)
    {
        var folders = Folders(project);
        return
        [
            .. from type in Types()
               from userFolder in folders[type.Name]
               from used in type.Uses
               from usedFolder in folders[used]
               select new FolderReference(type.Name, userFolder, used, usedFolder),
        ];
    }

    public void Dispose() => _image.Dispose();

    private static string? FolderOf(string document, string project)
    {
        var path = document.Replace('\\', '/');
        var start = path.LastIndexOf($"/{project}/", StringComparison.Ordinal);
        if (start < 0)
        {
            return null;
        }

        var inside = path[(start + project.Length + 2)..];
        return inside.StartsWith("obj/", StringComparison.Ordinal) ? null : inside[..Math.Max(inside.LastIndexOf('/'), 0)];
    }

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
