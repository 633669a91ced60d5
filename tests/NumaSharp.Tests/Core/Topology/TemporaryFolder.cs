namespace NumaSharp.Tests.Core.Topology;

/// <summary>A folder that is gone when the test is over.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("numasharp-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
