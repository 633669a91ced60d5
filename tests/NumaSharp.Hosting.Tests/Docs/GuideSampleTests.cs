using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>What the guides show is compiled, and does what they say.</summary>
public sealed class GuideSampleTests
{
    [Theory]
    [InlineData("getting-started.md", "GuideApp", 3)]
    [InlineData("providers.md", "AcmePlugin", 3)]
    public void Samples_OfAGuide_AreThoseOfTheProgram(string guide, string program, int count) =>
        GuideSamples.AssertCompiled(guide, count, 0, "tests", "Apps", program);

    [Fact]
    public async Task Application_OfTheGuide_DoesWhatItSays()
    {
        var cancellation = TestContext.Current.CancellationToken;
        await using var app = await StartedApp.StartAsync("NumaSharp.GuideApp.dll", StartedApp.AnyPort);
        using var client = new HttpClient { BaseAddress = app.Address };
        Assert.Equal("Hello", await client.GetStringAsync("/", cancellation));
        using (var found = await client.PostAsync("/index/7", null, cancellation))
        {
            Assert.Equal("shard 7", await found.Content.ReadAsStringAsync(cancellation));
        }

        using (var stored = await client.PostAsync("/upload", new ByteArrayContent(new byte[1000]), cancellation))
        {
            Assert.Matches("^1000 bytes in memory of node [0-9]+$", await stored.Content.ReadAsStringAsync(cancellation));
        }

        Assert.Contains("<html", await client.GetStringAsync("/numa", cancellation), StringComparison.Ordinal);
        Assert.Matches(@"NumaSharp\.Hosting\[700\]\s+NUMA: .+\. Transport: .+\. Fallbacks: ", app.Program.Output);
    }
}
