using System.Diagnostics;

namespace NumaSharp.TestKit.Tests;

public sealed class ExternalProgramTests
{
    public ExternalProgramTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "These programs are those of a Unix shell.");

    [Fact]
    public async Task TryAsync_VariablesFolderAndInput_AreTheProgramsAndAllIsKept()
    {
        using var folder = new TemporaryFolder();
        var start = Shell("cat; echo $GREETING; : > here; printf unfinished >&2; exit 3");
        start.Environment["GREETING"] = "hello";
        start.WorkingDirectory = folder.Path;
        var result = await ExternalProgram.TryAsync(start, "read\n");

        Assert.Equal((3, false), (result.ExitCode, result.Succeeded));
        Assert.Equal(["read", "hello"], result.OutputLines);
        Assert.True(File.Exists(folder.PathOf("here")));
        Assert.Equal("unfinished", result.Errors);
    }

    [Fact]
    public async Task TryAsync_LongerThanItMay_IsKilledAndSaysWhatItWroteAndWhereItWas()
    {
        var failure = await Assert.ThrowsAsync<TimeoutException>(
            () => ExternalProgram.TryAsync(Shell("echo begun; exec sleep 600"), patience: TimeSpan.Zero));
        Assert.Contains("sleep 600", failure.Message, StringComparison.Ordinal);
        Assert.Contains("system thread", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StartAsync_LineThatComesLater_IsWaitedForAndTheProgramContinues()
    {
        await using var program = await ExternalProgram.StartAsync(Shell("echo one; echo two; exec sleep 600"), "two");
        Assert.StartsWith("one\ntwo\n", program.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StartAsync_EndsWithoutTheLine_FailsWithWhatItWrote()
    {
        var failure = await Assert.ThrowsAnyAsync<Exception>(
            () => ExternalProgram.StartAsync(Shell("echo other; echo broken >&2"), "ready"));
        Assert.Contains("other", failure.Message, StringComparison.Ordinal);
        Assert.Contains("broken", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task SignalAsync_Term_EndsItAsItWants()
    {
        await using var program = await ExternalProgram.StartAsync(
            Shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done"), "ready");
        await program.SignalAsync("TERM");
        Assert.Equal(7, await program.WaitForEndAsync());
    }

    [Fact]
    public async Task DisposeAsync_WhileItRuns_EndsWhatItHasStarted()
    {
        // The output ends when the last process that has it has ended.
        var program = await ExternalProgram.StartAsync(Shell("sleep 600 & echo begun; wait"), "begun");
        await program.DisposeAsync().Within();
    }

    private static ProcessStartInfo Shell(string script) => new("sh", ["-c", script]);
}
