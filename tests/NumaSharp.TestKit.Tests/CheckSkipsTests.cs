namespace NumaSharp.TestKit.Tests;

/// <summary>
/// .ci/check-skips, which lets CI skip no more tests than a list of .ci/skips says, on lists and reports that are made up.
/// </summary>
[Trait("tier", "deep")]
public sealed class CheckSkipsTests : IDisposable
{
    private const string Passed = """<test name="a" result="Pass" />""";

    private readonly TemporaryFolder _folder = new();

    public CheckSkipsTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "This is a script of bash.");
        ExternalProgram.SkipUnlessThere("bash");
        ExternalProgram.SkipUnlessThere("awk");
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(0, "one more thing is missing, of 2")]
    [InlineData(0, "one more thing is missing\nand that is why", "this <machine> is small & old", "this <machine> is slow")]
    [InlineData(1, "one more thing is missing", "one more thing is missing")]
    [InlineData(1, "an unknown reason")]
    [InlineData(1, "here one more thing is missing")]
    public async Task CheckSkips_Reasons_DecideOnTheExitCode(int expected, params string[] reasons)
    {
        var result = await CheckAsync([Passed, .. reasons.Select(TestOf)]);

        Assert.True(result.ExitCode == expected, result.ToString());
    }

    [Fact]
    public async Task CheckSkips_NewReason_IsNamedWithItsCount()
    {
        var result = await CheckAsync(TestOf("no gravity"), Passed, TestOf("no gravity"));

        Assert.Contains("NEW  2: no gravity", result.OutputLines);
    }

    // A reason that is written otherwise would be overlooked.
    [Fact]
    public async Task CheckSkips_SkippedWithoutAReason_IsAFailure()
    {
        var result = await CheckAsync("""<test name="b" result="Skip" />""");

        Assert.True(result.ExitCode == 1, result.ToString());
    }

    [Fact]
    public async Task CheckSkips_NoReport_IsAFailure()
    {
        var result = await CheckAsync();

        Assert.True(result.ExitCode == 1, result.ToString());
    }

    [Theory]
    [InlineData(0, "passed A (1ms)", "  skipped: 0")]
    [InlineData(0, "skipped A (0ms)", "  one more thing is missing", "passed B (1ms)", "  skipped: 1")]
    [InlineData(0, "skipped A (0ms)", "  this <x> is small", "skipped B (0ms)", "  this <y> is slow", "  skipped: 2")]
    [InlineData(1, "skipped A (0ms)", "  no gravity", "  skipped: 1")]
    [InlineData(1, "skipped A (0ms)", "  one more", "  skipped: 1", "skipped A (0ms)", "  one more", "  skipped: 1")]
    [InlineData(1, "skipped A (0ms)", "[ 3.14] the kernel writes in between", "  skipped: 1")]
    [InlineData(1, "  skipped: 1")]
    [InlineData(1, "passed A (1ms)")]
    public async Task CheckSkips_OutputOfTestPrograms_DecidesOnTheExitCode(int expected, params string[] lines)
    {
        var output = _folder.PathOf("output");
        await File.WriteAllLinesAsync(output, lines);

        var result = await CheckFileAsync(output);
        Assert.True(result.ExitCode == expected, result.ToString());
    }

    [Fact]
    public async Task CheckSkips_ListWithoutReasons_AllowsNone()
    {
        await File.WriteAllTextAsync(_folder.PathOf("none"), "");
        var output = _folder.PathOf("output");
        await File.WriteAllTextAsync(output, "skipped A (0ms)\n  one more\n  skipped: 1\n");

        var result = await CheckFileAsync(output, "none");
        Assert.True(result.ExitCode == 1, result.ToString());
        Assert.Contains("NEW  1: one more", result.OutputLines);
    }

    private static string TestOf(string reason) =>
        $"""<test name="b" result="Skip"><reason><![CDATA[{reason}]]></reason></test>""";

    private async Task<ProgramResult> CheckAsync(params string[] tests)
    {
        var reports = Directory.CreateDirectory(_folder.PathOf("reports")).FullName;
        if (tests.Length > 0)
        {
            await File.WriteAllTextAsync(
                Path.Join(reports, "Some.Tests.xml"), $"<assemblies>\n{string.Join('\n', tests)}\n</assemblies>\n");
        }

        return await CheckFileAsync(reports);
    }

    private async Task<ProgramResult> CheckFileAsync(string reports, string list = "some")
    {
        await File.WriteAllTextAsync(
            _folder.PathOf("some"), "# A comment, and a line without anything.\n\n1 one more\n* this <.*> is (small|slow)\n");
        return await ExternalProgram.TryAsync(
            "bash", Repository.PathOf(".ci", "check-skips"), _folder.PathOf(list), reports);
    }
}
