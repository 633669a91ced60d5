namespace NumaSharp.Hosting.Tests.Support;

/// <summary>A folder for one test, gone afterwards.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("numasharp-").FullName;

    public string PathOf(string name) => Path.Combine(_path, name);

    public void Dispose() => Directory.Delete(_path, recursive: true);
}
