using System.Text.RegularExpressions;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed partial class FallbackCatalogTests
{
    [Fact]
    public void All_Kinds_HaveAnIdAndSentencesThatFitALineAndATable()
    {
        Assert.NotEmpty(FallbackCatalog.All);
        Assert.All(FallbackCatalog.All, static kind => Assert.Matches(Id(), kind.Id));
        Assert.All(
            FallbackCatalog.All.SelectMany(static kind => new[] { kind.Cause, kind.Effect, kind.Remedy }),
            static text => Assert.Matches(Sentences(), text));
    }

    [Fact]
    public void Find_Id_IsItsKindOrNone()
    {
        Assert.All(FallbackCatalog.All, static kind => Assert.Same(kind, FallbackCatalog.Find(kind.Id)));
        Assert.Null(FallbackCatalog.Find("acme.pages"));
    }

    [Fact]
    public void Remedy_OfAFallback_IsTheCatalogsUnlessItsReporterGivesOne()
    {
        var ours = new NumaFallback("memory.bind", "No.", new(1));
        Assert.Equal(ours, new NumaFallback(FallbackCatalog.MemoryBind, "No.", new(1)));
        Assert.Equal(FallbackCatalog.MemoryBind.Remedy, ours.Remedy);
        Assert.Equal($"memory.bind: No. {FallbackCatalog.MemoryBind.Remedy}", ours.ToString());

        var theirs = new NumaFallback("acme.pages", "No");
        Assert.Null(theirs.Remedy);
        Assert.Equal("acme.pages: No", theirs.ToString());
        Assert.Equal("acme.pages: No. Buy some.", (theirs with { Remedy = "Buy some." }).ToString());
    }

    [GeneratedRegex(@"^[a-z]+\.[a-z]+$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Id();

    [GeneratedRegex(@"^[A-Z][^|\r\n]+\.$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Sentences();
}
