namespace NumaSharp.TestKit.Tests;

/// <summary>.ci/check-passes, which notices tests that no longer run, on a list and an output that are made up.</summary>
[Trait("tier", "deep")]
public sealed class CheckPassesTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public CheckPassesTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "This is a script of bash.");
        ExternalProgram.SkipUnlessThere("bash");
        ExternalProgram.SkipUnlessThere("awk");
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("some", 0, "  total: 12", "  succeeded: 12", "  skipped: 0")]
    [InlineData("some", 0, "  succeeded: 13")]
    [InlineData("some", 0, "  succeeded: 5", "passed A (1ms)", "  succeeded: 7")]
    [InlineData("some", 1, "  total: 12", "  succeeded: 11", "  skipped: 1")]
    [InlineData("some", 1, "  succeeded: 9")]
    [InlineData("some", 1, "  succeeded: 0")]
    [InlineData("some", 1, "passed A (1ms)")]
    [InlineData("some", 1)]
    [InlineData("another", 1, "  succeeded: 12")]
    [InlineData("empty", 1, "  succeeded: 12")]
    [InlineData("none", 1, "  succeeded: 0")]
    public async Task CheckPasses_Output_DecidesOnTheExitCode(string stage, int expected, params string[] lines)
    {
        File.Copy(Repository.PathOf(".ci", "check-passes"), _folder.PathOf("check-passes"));
        await File.WriteAllTextAsync(_folder.PathOf("passes"), "# another 1\nsome 12\nempty\nnone 0\n");
        var output = _folder.PathOf("output");
        await File.WriteAllLinesAsync(output, lines);

        var result = await ExternalProgram.TryAsync("bash", _folder.PathOf("check-passes"), stage, output);
        Assert.True(result.ExitCode == expected, result.ToString());
        Assert.Equal(expected != 0, result.Output.StartsWith("FEW ", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(12, 0)]
    [InlineData(11, 1)]
    [InlineData(9, 0, "first")]
    [InlineData(8, 1, "first")]
    [InlineData(10, 0, "second/file")]
    [InlineData(7, 0, "first", "second/file")]
    [InlineData(6, 1, "first", "second/file")]
    public async Task CheckPasses_PathsThatAreNotThere_MakeItFewer(int passed, int expected, params string[] missing)
    {
        Directory.CreateDirectory(_folder.PathOf("scripts"));
        Directory.CreateDirectory(_folder.PathOf("second"));
        foreach (var path in ((string[])["first", "second/file"]).Except(missing))
        {
            await File.WriteAllTextAsync(_folder.PathOf(path), "");
        }

        var script = _folder.PathOf("scripts/check-passes");
        File.Copy(Repository.PathOf(".ci", "check-passes"), script);
        await File.WriteAllTextAsync(_folder.PathOf("scripts/passes"), "some 12 3!first 2!second/file\n");
        await File.WriteAllTextAsync(_folder.PathOf("output"), $"  succeeded: {passed}\n");

        var result = await ExternalProgram.TryAsync("bash", script, "some", _folder.PathOf("output"));
        Assert.True(result.ExitCode == expected, result.ToString());
    }

    [Theory]
    [InlineData(0, null, """<test name="a" result="Pass" time="1">""")]
    [InlineData(0, null, """<assembly><test name="a" result="Skip"/><test name="b" result="Pass"/></assembly>""")]
    [InlineData(1, "NONE  Some.Tests has run no test (some)", """<assembly total="0"></assembly>""")]
    [InlineData(1, "NONE  Some.Tests has run no test (some)", null)]
    public async Task CheckPasses_ReportOfAProject_MustHaveATest(int expected, string? line, string? report)
    {
        foreach (var project in (string[])["Some.Tests", "Other.Tests", "Kit"])
        {
            Directory.CreateDirectory(_folder.PathOf($"tests/{project}"));
            await File.WriteAllTextAsync(_folder.PathOf($"tests/{project}/{project}.csproj"), "");
        }

        Directory.CreateDirectory(_folder.PathOf("reports"));
        await File.WriteAllTextAsync(_folder.PathOf("reports/Other.Tests.xml"), "<test name=\"c\" result=\"Pass\"/>");
        if (report is not null)
        {
            await File.WriteAllTextAsync(_folder.PathOf("reports/Some.Tests.xml"), $"<assemblies>\n{report}\n</assemblies>\n");
        }

        Directory.CreateDirectory(_folder.PathOf("scripts"));
        var script = _folder.PathOf("scripts/check-passes");
        File.Copy(Repository.PathOf(".ci", "check-passes"), script);
        await File.WriteAllTextAsync(_folder.PathOf("scripts/passes"), "some 1\nsome -Kit\nother 1 -Some.Tests\n");
        await File.WriteAllTextAsync(_folder.PathOf("output"), "  succeeded: 1\n");

        var result = await ExternalProgram.TryAsync("bash", script, "some", _folder.PathOf("output"), _folder.PathOf("reports"));
        Assert.True(result.ExitCode == expected, result.ToString());
        Assert.Equal(line, result.OutputLines.SingleOrDefault(static each => each.StartsWith("NONE", StringComparison.Ordinal)));
    }

    // What the list leaves out must be there to be left out.
    [Fact]
    public async Task Passes_ProjectsWithoutTests_AreProjects()
    {
        var words = (await File.ReadAllLinesAsync(Repository.PathOf(".ci", "passes")))
            .Where(static line => !line.StartsWith('#'))
            .SelectMany(static line => line.Split(' '));
        Assert.All(
            words.Where(static word => word.StartsWith('-')).Select(static word => word[1..]),
            static name => Assert.True(File.Exists(Repository.PathOf("tests", name, $"{name}.csproj")), name));
    }

    [Fact]
    public async Task CheckPasses_NoOutput_IsAFailure()
    {
        var result = await ExternalProgram.TryAsync(
            "bash", Repository.PathOf(".ci", "check-passes"), "default", _folder.PathOf("missing"));

        Assert.NotEqual(0, result.ExitCode);
    }
}
