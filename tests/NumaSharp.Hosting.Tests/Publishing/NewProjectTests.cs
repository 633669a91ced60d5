using System.Diagnostics;

namespace NumaSharp.Hosting.Tests.Publishing;

/// <summary>
/// The steps of docs/guide/getting-started.md in a new folder, with the project in place of the package: before the first release
/// no source of packages has it.
/// </summary>
public sealed class NewProjectTests
{
    private const string Last = "app.Run();";

    [Fact]
    [Trait("tier", "deep")]
    public async Task GettingStarted_StepByStep_Serves()
    {
        TemporaryFolder.SkipUnlessProgramsRun();
        using var folder = new TemporaryFolder();
        var shop = folder.PathOf("Shop");

        // Outputs of its own: those of the repository are being tested.
        string[] outputs = ["--artifacts-path", folder.PathOf("artifacts")];
        await RunAsync(folder.Path, "new", "web", "-n", "Shop");
        await RunAsync(
            shop, "add", "reference", Repository.PathOf("hosting", "NumaSharp.Hosting", "NumaSharp.Hosting.csproj"));
        await File.WriteAllTextAsync(
            Path.Combine(shop, "Program.cs"), CreateProgram(), TestContext.Current.CancellationToken);
        await RunAsync(shop, ["build", "--disable-build-servers", "-p:RunAnalyzers=false", .. outputs]);

        await using var app = await StartedApp.StartAsync(
            new ProcessStartInfo(DotnetHost.Path, ["run", "--no-build", .. outputs, "--", StartedApp.AnyPort])
            {
                WorkingDirectory = shop,
            });
        using var client = TestHttpClient.Create(app.Address);
        Assert.Equal("Hello", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        var page = await client.GetStringAsync(new Uri("/numa", UriKind.Relative));
        Assert.Contains("<title>NUMA</title>", page, StringComparison.Ordinal);
    }

    // As the guide says: each sample above the last line of the first, its using at the top.
    private static string CreateProgram()
    {
        var lines = GuideSamples.Of("getting-started.md").SelectMany(static sample => sample.Split('\n')).ToLookup(
            static line => line.StartsWith("using ", StringComparison.Ordinal) ? "first" : line == Last ? Last : "");
        return string.Join('\n', lines["first"].Concat(lines[""]).Concat(lines[Last]));
    }

    private static async Task RunAsync(string folder, params string[] arguments)
    {
        var result = await ExternalProgram.TryAsync(
            new ProcessStartInfo(DotnetHost.Path, arguments) { WorkingDirectory = folder }, patience: TimeSpan.FromMinutes(10));
        Assert.True(result.Succeeded, $"{result}");
    }
}
