using System.Text.Json;
using NumaSharp.GuestTests.Support;
using NumaSharp.Playground.Tests;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>Copies of the playground's server that share the machine by <c>Numa:Binding:Claims</c>.</summary>
public sealed class ClaimTests : ThreeNodeTests
{
    [Fact]
    public async Task Claims_CopyPerNodeOfWhichOneIsKilled_EachServesOnItsOwnNode()
    {
        var folder = Directory.CreateTempSubdirectory("numasharp-claims-");
        try
        {
            await using var first = await StartAsync(folder.FullName);
            await using (var second = await StartAsync(folder.FullName))
            {
                await AssertServesOnAsync(0, first);
                await AssertServesOnAsync(1, second);
            }

            // The second was killed: nothing of it said that its node is free.
            await using var third = await StartAsync(folder.FullName);
            await AssertServesOnAsync(1, third);
            Assert.Equal(0, await first.TerminateAsync());
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static Task<WebProcess> StartAsync(string folder) => Child.StartOnAllCpus(
        () => WebProcess.StartAsync($"--urls http://127.0.0.1:0 --Numa:Binding:Claims={folder}"));

    private static async Task AssertServesOnAsync(int node, WebProcess web)
    {
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));
        Assert.Equal(node, where.RootElement.GetProperty("node").GetInt32());
        Assert.Contains(where.RootElement.GetProperty("cpu").GetInt32(), TheMachine.CpusOf(node));
        Assert.Equal(node, where.RootElement.GetProperty("buffer").GetProperty("node").GetInt32());
    }
}
