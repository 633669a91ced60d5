using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Benchmarks.Tests.Processes;

public sealed class ChildProcessTests
{
    [Fact]
    public async Task Start_OnOneCpu_RunsTheChildThereAndNothingElse()
    {
        var before = BenchmarkCpus.AllowedCpus(Environment.ProcessId);
        var cpu = before.Last;
        using var child = ChildProcess.Start(Shell("grep Cpus_allowed_list: /proc/self/status"), cpu);

        await child.WaitForExitAsync(TestContext.Current.CancellationToken).Within();

        Assert.EndsWith($"\t{cpu}", Assert.Single(child.Output), StringComparison.Ordinal);
        Assert.Equal(before, BenchmarkCpus.AllowedCpus(Environment.ProcessId));
    }

    [Fact]
    public void Start_UnknownProgram_SaysWhich()
    {
        var failure = Assert.Throws<BenchmarkException>(() => ChildProcess.Start(new ProcessStartInfo("no-such-program"), null));

        Assert.Contains("no-such-program", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Start_CpuThatIsNotThere_SaysSo()
    {
        var failure = Assert.Throws<BenchmarkException>(() => ChildProcess.Start(Shell("true"), CpuSet.MaxId));

        Assert.Contains("EINVAL", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Dispose_RunningChild_EndsIt()
    {
        var child = ChildProcess.Start(Shell("exec sleep 600"), null);
        using var observer = Process.GetProcessById(child.Id);

        child.Dispose();

        Wait.Until(() => observer.HasExited);
    }

    [Fact]
    public async Task Terminate_RunningChild_GetsSigterm()
    {
        using var child = ChildProcess.Start(Shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done"), null);
        Wait.Until(() => child.Output.Contains("ready"));

        child.Terminate();

        await child.WaitForExitAsync(TestContext.Current.CancellationToken).Within();
        Assert.Equal(7, child.ExitCode);
    }

    [Fact]
    public async Task Terminate_ChildThatHasEnded_SaysWhatItSaidLast()
    {
        using var child = ChildProcess.Start(Shell("echo broken >&2"), null);
        await child.WaitForExitAsync(TestContext.Current.CancellationToken).Within();

        var failure = Assert.Throws<BenchmarkException>(child.Terminate);

        Assert.Contains("broken", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task LastWords_FailedChild_IsItsStandardError()
    {
        using var child = ChildProcess.Start(Shell("echo fine; echo broken >&2; exit 3"), null);

        await child.WaitForExitAsync(TestContext.Current.CancellationToken).Within();

        Assert.Equal((3, "broken"), (child.ExitCode, child.LastWords));
    }

    private static ProcessStartInfo Shell(string command) => new("/bin/sh", ["-c", command]);
}
