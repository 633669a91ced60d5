using System.Runtime.CompilerServices;

namespace NumaSharp.Plugins.HugePages.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void HugePages_PublicSurface_IsTheCommittedOne() => PublicApi.Verify(typeof(HugePageMemoryProvider).Assembly, File());

    private static string File([CallerFilePath] string path = "") => Path.Combine(Path.GetDirectoryName(path)!, "PublicApi.txt");
}
