using System.Runtime.CompilerServices;

namespace NumaSharp.Plugins.Windows.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void PublicSurface_IsTheCommittedOne() =>
        PublicApi.Verify(typeof(WindowsTopologyProvider).Assembly, Path.Combine(Folder(), "PublicApi.txt"));

    private static string Folder([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
