using System.Text.RegularExpressions;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>What the guides show is compiled, and does what they say.</summary>
public sealed partial class GuideSampleTests
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
        using var client = TestHttpClient.Create(app.Address);
        Assert.Contains("<html", await client.GetStringAsync("/numa", cancellation), StringComparison.Ordinal);
        Assert.Matches(@"NumaSharp\.Hosting\[700\]\s+NUMA: .+\. Transport: .+\. Fallbacks: ", app.Program.Output);
    }

    [Fact]
    public async Task Commands_OfTheGuide_AnswerAsItSays()
    {
        ExternalProgram.SkipUnlessThere("curl");
        var commands = Curl().Matches(Repository.Read("docs", "guide", "getting-started.md"));
        Assert.Equal(3, commands.Count);
        await using var app = await StartedApp.StartAsync("NumaSharp.GuideApp.dll", StartedApp.AnyPort);
        foreach (Match command in commands)
        {
            var line = command.Groups["line"].Value
                .Replace("http://localhost:5000/", app.Address.AbsoluteUri, StringComparison.Ordinal);
            Assert.Equal(
                Place().Replace(command.Groups["answer"].Value, ""),
                Place().Replace(await ExternalProgram.RunAsync("sh", "-c", line), ""));
        }
    }

    [GeneratedRegex(
        @"^\$ (?<line>curl .+)\n(?<answer>.+)$",
        RegexOptions.Multiline | RegexOptions.ExplicitCapture,
        Timeout.Infinite)]
    private static partial Regex Curl();

    // Another machine has other nodes and workers.
    [GeneratedRegex(@"(?<=node |numa)\d+(-\d+)?$", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Place();
}
