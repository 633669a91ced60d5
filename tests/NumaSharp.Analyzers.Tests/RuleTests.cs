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

    // What every application does, next to code that uses the product.
    [Fact]
    public Task OrdinaryCode_IsNotReported() => Sample.ReportsNothingAsync("""
        class Service(NumaTaskScheduler scheduler, NumaMemoryPools pools)
        {
            private readonly SemaphoreSlim gate = new(1);

            public async Task<int> ReadAsync(string name)
            {
                await gate.WaitAsync().ConfigureAwait(false);
                var text = await File.ReadAllTextAsync(name).ConfigureAwait(false);
                _ = Task.Run(() => Console.WriteLine(text));
                using var owner = MemoryPool<byte>.Shared.Rent();
                return await scheduler.RunOnNode(0, () => Sum(text)).ConfigureAwait(false);
            }

            public int Read(string name)
            {
                gate.Wait();
                Thread.Sleep(1);
                var task = Task.Factory.StartNew(() => File.ReadAllText(name).Length);
                return task.Result + ReadAsync(name).GetAwaiter().GetResult();
            }

            private int Sum(string text)
            {
                using var block = pools[NumaTaskScheduler.CurrentNodeIndex].RentBlock();
                var span = block.GetSpan()[..Math.Min(text.Length, block.Length)];
                span.Clear();
                return span.Length;
            }
        }
        """);

    [Fact]
    public Task GeneratedCode_IsNotReported() => Sample.ReportsNothingAsync("""
        [System.CodeDom.Compiler.GeneratedCode("generator", "1.0")]
        class C : EventLoopHandler
        {
            protected override void OnReady(EventLoopEvents events) => Thread.Sleep(10);
        }
        """);

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
