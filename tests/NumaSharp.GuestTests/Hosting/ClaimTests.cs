using System.Text.Json;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>Copies of the playground's server that share the machine by <c>Numa:Binding:Claims</c>.</summary>
public sealed class ClaimTests : ThreeNodeTests
{
    [Fact]
    public async Task Claims_CopyPerNodeOfWhichOneIsKilled_EachServesOnItsOwnNode()
    {
        using var folder = new TemporaryFolder();
        await using var first = await StartAsync(folder);
        await using (var second = await StartAsync(folder))
        {
            await AssertServesOnAsync(0, first);
            await AssertServesOnAsync(1, second);
        }

        // The second was killed: nothing of it said that its node is free.
        await using var third = await StartAsync(folder);
        await AssertServesOnAsync(1, third);
        Assert.Equal(0, await first.TerminateAsync());
    }

    private static Task<StartedApp> StartAsync(TemporaryFolder folder) =>
        Child.StartWebAsync($"--Numa:Binding:Claims={folder.Path}");

    private static async Task AssertServesOnAsync(int node, StartedApp web)
    {
        using var client = TestHttpClient.Create(web.Address);
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));
        Assert.Equal(node, where.RootElement.GetProperty("node").GetInt32());
        Assert.Contains(where.RootElement.GetProperty("cpu").GetInt32(), TheMachine.CpusOf(node));
        Assert.Equal(node, where.RootElement.GetProperty("buffer").GetProperty("node").GetInt32());
    }
}
