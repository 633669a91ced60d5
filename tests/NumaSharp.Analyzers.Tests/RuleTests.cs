using Microsoft.CodeAnalysis;

namespace NumaSharp.Analyzers.Tests;

public sealed class RuleTests
{
    private static DiagnosticDescriptor[] Rules =>
    [
        .. Sample.Analyzers
            .SelectMany(static analyzer => analyzer.SupportedDiagnostics)
            .OrderBy(static rule => rule.Id, StringComparer.Ordinal),
    ];

    public static TheoryData<string> HelpLinks => [.. Rules.Select(static rule => rule.HelpLinkUri)];

    [Fact]
    public void Page_HasASectionForEachRule() => Assert.Equal(
        Rules.Select(static rule => $"## {rule.Id}"),
        Repository.Read("docs", "reference", "analyzers.md")
            .Split('\n')
            .Where(static line => line.StartsWith("## NUMA", StringComparison.Ordinal)));

    // Anchors of headings are in lower case.
    [Theory]
    [MemberData(nameof(HelpLinks))]
    public void HelpLink_LeadsToTheSectionOfItsRule(string link)
    {
        var (page, anchor) = (link.Split('#')[0], link.Split('#')[1]);
        Assert.Contains(
            Repository.Read(page.Split('/')).Split('\n'),
            line => line.StartsWith("## ", StringComparison.Ordinal)
                && line[3..].Equals(anchor, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public async Task Analyzers_WithoutTheProduct_ReportNothing() => Assert.Empty(await Sample.DiagnosticsWithoutProductAsync("""
        using System;
        using System.Threading;
        using System.Threading.Tasks;

        interface IDatagramHandler
        {
            void OnBatch();
        }

        class C : IDatagramHandler
        {
            public void OnBatch()
            {
                Thread.Sleep(10);
                Task.Run(() => { });
            }

            async Task RunOnNode(int nodeIndex, Func<Task> work)
            {
                await RunOnNode(0, async () => { await work().ConfigureAwait(false); Console.WriteLine(); });
            }
        }
        """));
}
