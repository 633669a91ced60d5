namespace NumaSharp.TestKit.Tests;

/// <summary>.ci/check-passes, which notices tests that no longer run, on a list and an output that are made up.</summary>
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

    [Fact]
    public async Task CheckPasses_NoOutput_IsAFailure()
    {
        var result = await ExternalProgram.TryAsync(
            "bash", Repository.PathOf(".ci", "check-passes"), "default", _folder.PathOf("missing"));

        Assert.NotEqual(0, result.ExitCode);
    }
}
