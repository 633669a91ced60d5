namespace NumaSharp.Benchmarks.Tests.Scripts;

/// <summary>eng/two-socket with programs that do nothing.</summary>
public sealed class TwoSocketTests : IDisposable
{
    private static readonly string[] s_steps =
    [
        "build-benchmarks", "build-tool", "machine", "topology", "topology-json", "plan", "plan-json", "doctor", "doctor-json",
        "matrix", "matrix-json", "snapshot", "whole-server", "benchmarks",
    ];

    private readonly ScriptFolder _script = new("two-socket");

    public TwoSocketTests()
    {
        foreach (var program in new[] { "curl", "h2load", "lscpu", "taskset", "wrk", "dotnet" })
        {
            _script.AddProgram(program, "echo \"$*\"");
        }

        // A busy machine is looked at once, and not waited for.
        _script.AddProgram("seq", "echo 1");
        _script.AddProgram("sleep", "exit 0");
    }

    public void Dispose() => _script.Dispose();

    [Fact]
    public async Task Run_Help_IsTheUsage()
    {
        var run = await _script.RunAsync("--help");

        Assert.True(run.Succeeded, run.ToString());
        Assert.Contains("  two-socket [--quick] [--any-machine] [--check] [--output FOLDER]", run.OutputLines);
    }

    [Fact]
    public async Task Run_UnknownArgument_IsAUsageError()
    {
        var run = await _script.RunAsync("--fast");

        Assert.Equal(2, run.ExitCode);
        Assert.Equal("two-socket: unknown argument --fast; --help says more", Assert.Single(run.ErrorLines));
    }

    [Fact]
    public async Task Run_FolderThatExists_IsRefusedBeforeAnything()
    {
        Directory.CreateDirectory(_script.PathOf("out"));

        var run = await _script.RunAsync("--any-machine", "--output", _script.PathOf("out"));

        Assert.Equal(1, run.ExitCode);
        Assert.Contains(
            $"two-socket: missing: a folder that does not exist yet: {_script.PathOf("out")} does", run.ErrorLines);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_script.PathOf("out")));
    }

    [Fact]
    public async Task Check_WhatIsThere_PrintsThePlanAndStartsNothing()
    {
        var run = await _script.RunAsync("--check", "--any-machine", "--output", _script.PathOf("out"));
        SkipIfMissing(run);

        Assert.True(run.Succeeded, run.ToString());
        Assert.Contains("whole-server   eng/whole-server: ", run.Output, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_script.PathOf("out")));
    }

    // eng/whole-server is not in this tree.
    [Fact]
    public async Task Run_StepsThatFail_DoNotStopTheOthers()
    {
        _script.AddProgram("dotnet", """case "$*" in *' plan') exit 3 ;; *) echo "$*" ;; esac""");

        var run = await _script.RunAsync("--any-machine", "--quick", "--output", _script.PathOf("out"));
        SkipIfMissing(run);

        Assert.Equal(1, run.ExitCode);
        Assert.Equal("two-socket: incomplete: plan whole-server", Assert.Single(run.ErrorLines));
        var steps = await File.ReadAllLinesAsync(_script.PathOf("out/steps.txt"), TestContext.Current.CancellationToken);
        Assert.Equal(s_steps, steps.Select(static step => step.Split('\t')[0]));
        Assert.Equal("exit code 3", steps[5].Split('\t')[2]);
        Assert.EndsWith($" all --quick --results {_script.PathOf("out/results")}", steps[^1], StringComparison.Ordinal);
        Assert.True(File.Exists(_script.PathOf("out.tar.gz")));
    }

    [Fact]
    public async Task Run_BuildThatFails_EndsThere()
    {
        _script.AddProgram("dotnet", "exit 1");

        var run = await _script.RunAsync("--any-machine", "--output", _script.PathOf("out"));
        SkipIfMissing(run);

        Assert.Equal(1, run.ExitCode);
        Assert.Equal($"two-socket: it cannot be built: {_script.PathOf("out")}", Assert.Single(run.ErrorLines));
        Assert.False(File.Exists(_script.PathOf("out/topology.txt")));
    }

    // Libraries, memory and descriptors are the machine's own.
    private static void SkipIfMissing(ProgramResult run) => Assert.SkipWhen(
        run.Errors.Contains("two-socket: missing: ", StringComparison.Ordinal), $"The script needs more: {run.Errors}");
}
