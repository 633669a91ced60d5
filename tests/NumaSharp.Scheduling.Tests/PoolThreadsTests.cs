using System.Diagnostics;
using NumaSharp.Core;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// Threads that a pinned worker is the first to need do not get its CPUs: those of the pool, of timers and sockets, and the
/// library's own that are nobody's in particular.
/// </summary>
public sealed class PoolThreadsTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    [Fact]
    public void Threads_StartedFromAPinnedWorker_MayRunOnAllCpusOfTheProcess()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux tells the CPUs of each thread (/proc).");
        var allowed = NumaTopology.Instance.AllowedCpus;
        Assert.SkipUnless(allowed.Count > 1, $"This process has CPU {allowed} only: workers cannot be confined further.");

        ProbedThread.AssertOnlyWorkersAreConfined(ProbedThread.Parse(Probe(NumaAffinityGranularity.Cpu)));
    }

    private static string Probe(NumaAffinityGranularity granularity)
    {
        using var process = Process.Start(new ProcessStartInfo(
            DotnetHost.Path,
            [Path.Combine(AppContext.BaseDirectory, "NumaSharp.ThreadProbe.dll"), $"{granularity}"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(s_patience))
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail("The probe hangs.");
        }

        Assert.True(process.ExitCode == 0, $"{process.ExitCode}: {output.Result}{error.Result}");
        return output.Result;
    }
}
