using System.Globalization;
using System.Net;
using System.Text.Json;

namespace NumaSharp.Playground.Tests;

/// <summary>What the benchmarks ask the app for.</summary>
public sealed class EndpointTests(SharedWeb web)
{
    [Fact]
    public async Task Memory_AskedTwice_SaysWhatWasAllocatedBetween()
    {
        using var client = TestHttpClient.Create((await web.GetAsync()).Address);
        var (allocated, time) = await MemoryAsync(client);
        await client.GetStringAsync(new Uri("/where", UriKind.Relative));
        var (allocatedLater, later) = await MemoryAsync(client);

        Assert.True(allocated > 0);
        Assert.True(allocatedLater > allocated);
        Assert.True(later > time);
    }

    [Fact]
    public async Task Collect_Posted_SaysWhatLives()
    {
        using var client = TestHttpClient.Create((await web.GetAsync()).Address);
        using var response = await client.PostAsync(new Uri("/collect", UriKind.Relative), content: null);
        var alive = long.Parse(await response.Content.ReadAsStringAsync(), CultureInfo.InvariantCulture);

        Assert.InRange(alive, 1, (await MemoryAsync(client)).Allocated);
        using var got = await client.GetAsync(new Uri("/collect", UriKind.Relative));
        Assert.Equal(HttpStatusCode.MethodNotAllowed, got.StatusCode);
    }

    [Theory]
    [InlineData("/block/20")]
    [InlineData("/spin/20")]
    public async Task Late_Asked_AnswersAndRefusesWhatIsNoNumber(string path)
    {
        using var client = TestHttpClient.Create((await web.GetAsync()).Address);

        Assert.Equal("done", await client.GetStringAsync(new Uri(path, UriKind.Relative)));
        using var refused = await client.GetAsync(new Uri(path + "x", UriKind.Relative));
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
    }

    private static async Task<(long Allocated, long Nanoseconds)> MemoryAsync(HttpClient client)
    {
        using var answer = JsonDocument.Parse(await client.GetStringAsync(new Uri("/memory", UriKind.Relative)));
        return (
            answer.RootElement.GetProperty("allocated").GetInt64(),
            answer.RootElement.GetProperty("nanoseconds").GetInt64());
    }
}
