using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Architecture;

public sealed class PublicApiTests
{
    [Fact]
    public void Hosting_PublicSurface_IsTheCommittedOne() =>
        PublicApi.Verify(typeof(NumaOptions).Assembly, Repository.PathOf("tests", "NumaSharp.Hosting.Tests", "PublicApi.txt"));
}
