namespace NumaSharp.TestKit;

/// <summary>A folder for one test; disposing of it deletes it.</summary>
public sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("numasharp-").FullName;

    public string PathOf(string name) => System.IO.Path.Join(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
