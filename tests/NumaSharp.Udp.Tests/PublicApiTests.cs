using System.Runtime.CompilerServices;

namespace NumaSharp.Udp.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void PublicSurface_IsTheCommittedOne() =>
        PublicApi.Verify(typeof(DatagramSocketExtensions).Assembly, Path.Combine(Folder(), "PublicApi.txt"));

    private static string Folder([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
