using Aspire.Hosting;

namespace NumaSharp.Aspire.Hosting.Tests;

public sealed class PublicApiTests
{
    [Fact]
    public void Hosting_PublicSurface_IsTheCommittedOne() => PublicApi.Verify(
        typeof(NumaResourceBuilderExtensions).Assembly,
        Repository.PathOf("tests", "NumaSharp.Aspire.Hosting.Tests", "PublicApi.txt"));
}
