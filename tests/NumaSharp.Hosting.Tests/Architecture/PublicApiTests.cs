using System.Text.RegularExpressions;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Architecture;

public sealed partial class PublicApiTests
{
    [Fact]
    public void Hosting_PublicSurface_IsTheCommittedOne() =>
        PublicApi.Verify(typeof(NumaOptions).Assembly, Repository.PathOf("tests", "NumaSharp.Hosting.Tests", "PublicApi.txt"));

    // A position in place of an id is another node, in silence (decision 33). The two are of the quick start.
    [Fact]
    public void NodeIds_OfAllPublicSurfaces_HaveTheirType() => Assert.Equal(
        ["int NodeId { get; }", "new(int numaNodeId, int blockSize = 4096)"],
        from file in Directory.EnumerateFiles(Repository.PathOf("tests"), "PublicApi.txt", SearchOption.AllDirectories)
        from line in File.ReadLines(file)
        where NumberAsNodeId().IsMatch(line)
        orderby line
        select line.Trim());

    [GeneratedRegex(@"\bint>?\??\s+\w*node_?ids?\b", RegexOptions.IgnoreCase, Timeout.Infinite)]
    private static partial Regex NumberAsNodeId();
}
