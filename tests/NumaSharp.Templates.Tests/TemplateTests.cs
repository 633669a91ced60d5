using System.IO.Compression;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace NumaSharp.Templates.Tests;

/// <summary>What <c>dotnet new numa-web</c> makes of our packages.</summary>
[Trait("tier", "deep")]
public sealed partial class TemplateTests(CreatedApp app) : IClassFixture<CreatedApp>
{
    [Fact]
    public void Application_HasTheFilesThatTheReadmeNames()
    {
        app.Require();
        string[] named =
        [
            .. from line in Repository.Read("templates", "NumaSharp.Templates", "README.md").Split('\n')
               where line.StartsWith("| `", StringComparison.Ordinal)
               from match in Quoted().Matches(line.Split('|')[1])
               select match.Groups["name"].Value,
        ];
        Assert.Equal(9, named.Length);
        Assert.All(named, name => Assert.True(File.Exists(app.PathOf(name)), name));
    }

    [Fact]
    public void Application_HasItsNameAndVersionsEverywhere()
    {
        app.Require();
        var project = File.ReadAllText(app.PathOf($"{CreatedApp.Name}.csproj"));
        Assert.Contains($"\"NumaSharp.Hosting\" Version=\"{CreatedApp.Version}\"", project, StringComparison.Ordinal);
        Assert.DoesNotContain("_VERSION", project, StringComparison.Ordinal);
        Assert.Contains($"\"{CreatedApp.Name}.dll\"", File.ReadAllText(app.PathOf("Dockerfile")), StringComparison.Ordinal);
        Assert.Contains(
            "name: acme-shop\n", File.ReadAllText(app.PathOf("deploy", "kubernetes.yaml")), StringComparison.Ordinal);
        using var profiles = JsonDocument.Parse(File.ReadAllText(app.PathOf("Properties", "launchSettings.json")));
        Assert.DoesNotContain("52080", profiles.RootElement.GetRawText(), StringComparison.Ordinal);
    }

    // Each has its one place in the repository.
    [Theory]
    [InlineData("appsettings.schema.json", "appsettings.schema.json")]
    [InlineData("deploy/numasharp-grafana.json", "docs/dashboards/numasharp-grafana.json")]
    [InlineData("deploy/numasharp-alerts.yml", "docs/dashboards/numasharp-alerts.yml")]
    public void SharedFiles_AreTheRepositorys(string file, string original)
    {
        app.Require();
        Assert.Equal(File.ReadAllBytes(Repository.PathOf(original)), File.ReadAllBytes(app.PathOf(file)));
    }

    [Fact]
    public void Package_SaysWhatItIs()
    {
        app.Require();
        using var package = ZipFile.OpenRead(app.PackageOf("NumaSharp.Templates"));
        Assert.NotNull(package.GetEntry("icon.png"));
        Assert.NotNull(package.GetEntry("README.md"));
        using var manifest = new StreamReader(package.GetEntry("NumaSharp.Templates.nuspec")!.Open());
        var text = manifest.ReadToEnd();
        Assert.Contains("<license type=\"expression\">MIT</license>", text, StringComparison.Ordinal);
        Assert.Contains("<packageType name=\"Template\" />", text, StringComparison.Ordinal);
        Assert.Contains("<icon>icon.png</icon>", text, StringComparison.Ordinal);
    }

    // After an update of the packages the copy of the template would be out of date.
    [Fact]
    public async Task Build_KeepsTheSchemaOfThePackage()
    {
        app.Require();
        var file = app.PathOf("appsettings.schema.json");
        await File.WriteAllTextAsync(file, "{}", TestContext.Current.CancellationToken);
        var build = await app.BuildAsync();
        Assert.True(build.Succeeded, $"{build}");
        Assert.Equal(
            Repository.Read("appsettings.schema.json"),
            await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Run_OnThisMachine_Answers()
    {
        app.Require();
        await using var started = await app.StartAsync("http");
        using var client = TestHttpClient.Create(started.Address);
        var cancellation = TestContext.Current.CancellationToken;
        Assert.Matches("^Hello\\. NUMA nodes: [1-9][0-9]*$", await client.GetStringAsync("/", cancellation));
        Assert.Equal("Healthy", await client.GetStringAsync("/alive", cancellation));
        using (var health = await client.GetAsync("/health", cancellation))
        {
            Assert.Equal(HttpStatusCode.OK, health.StatusCode);
        }

        Assert.Contains("<html", await client.GetStringAsync("/numa", cancellation), StringComparison.Ordinal);
        Assert.Contains("NumaSharp.Hosting[700]", started.Program.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_OnTheSimulatedMachine_HasFourNodes()
    {
        app.Require();
        await using var started = await app.StartAsync("nps4");
        using var client = TestHttpClient.Create(started.Address);
        var cancellation = TestContext.Current.CancellationToken;
        Assert.Equal("Hello. NUMA nodes: 4", await client.GetStringAsync("/", cancellation));
        Assert.Equal("Part 7 on node 3", await client.GetStringAsync("/parts/7", cancellation));
    }

    // They are in the package NumaSharp, to which the application refers through NumaSharp.Hosting.
    [Fact]
    public async Task Build_OfCodeThatBlocksALoop_Warns()
    {
        app.Require();
        using (var package = ZipFile.OpenRead(app.PackageOf("NumaSharp")))
        {
            Assert.Equal(
                ["NumaSharp.Analyzers.CodeFixes.dll", "NumaSharp.Analyzers.dll"],
                package.Entries
                    .Where(static entry => entry.FullName.StartsWith("analyzers/dotnet/cs/", StringComparison.Ordinal))
                    .Select(static entry => entry.Name)
                    .Order(StringComparer.Ordinal));
        }

        var file = app.PathOf("Slow.cs");
        await File.WriteAllTextAsync(
            file,
            """
            using NumaSharp.Udp;

            sealed class Slow : IDatagramHandler
            {
                public void OnBatch(in DatagramBatch batch) => Thread.Sleep(10);
            }
            """,
            TestContext.Current.CancellationToken);
        try
        {
            var build = await app.BuildAsync();
            Assert.True(build.Succeeded, $"{build}");
            Assert.Matches(@"Slow\.cs\(5,52\): warning NUMA0005: ", build.Output);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [GeneratedRegex("`(?<name>[^`]+)`", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Quoted();
}
