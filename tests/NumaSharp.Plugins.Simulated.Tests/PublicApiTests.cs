using System.Runtime.CompilerServices;

namespace NumaSharp.Plugins.Simulated.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void Simulated_PublicSurface_IsTheCommittedOne() => PublicApi.Verify(typeof(SimulatedMachine).Assembly, File());

    private static string File([CallerFilePath] string path = "") => Path.Combine(Path.GetDirectoryName(path)!, "PublicApi.txt");
}
