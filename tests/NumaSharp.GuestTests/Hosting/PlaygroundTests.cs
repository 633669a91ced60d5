using System.Text.Json;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>The playground's server, as a user starts it.</summary>
public sealed class PlaygroundTests : ThreeNodeTests
{
    private const int Loops = 4;
    private const int Patience = 300;

    [Fact]
    public async Task Where_OnEveryLoop_ThreadAndBufferAreOnTheLoopsNode()
    {
        await using var web = await Child.StartWebAsync();
        using var client = TestHttpClient.Create(web.Address);

        // The kernel spreads connections over the loops by a hash: a new one for each request meets them all sooner or later.
        client.DefaultRequestHeaders.ConnectionClose = true;
        var loops = new SortedSet<int>();
        for (var i = 0; i < Patience && loops.Count < Loops; i++)
        {
            using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));
            var loop = where.RootElement.GetProperty("loop").GetInt32();
            var node = loop / (Loops / TheMachine.CpuNodes.Length);
            Assert.Equal(node, where.RootElement.GetProperty("node").GetInt32());
            Assert.Contains(where.RootElement.GetProperty("cpu").GetInt32(), TheMachine.CpusOf(node));
            Assert.Equal(node, where.RootElement.GetProperty("buffer").GetProperty("node").GetInt32());
            loops.Add(loop);
        }

        Assert.Equal(Enumerable.Range(0, Loops), loops);
        Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        Assert.Equal(0, await web.TerminateAsync());
    }
}
