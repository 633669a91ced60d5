using System.Runtime.CompilerServices;

namespace NumaSharp.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void PublicSurface_IsTheCommittedOne() =>
        PublicApi.Verify(typeof(NumaSharp.Core.NumaTopology).Assembly, Path.Combine(Folder(), "PublicApi.txt"));

    private static string Folder([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
