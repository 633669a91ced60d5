using System.Diagnostics;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>The probe in a process of its own, which a shell has put under some limit first.</summary>
internal static class MemoryProbeProcess
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    /// <param name="limit">A shell command, such as <c>ulimit -v 1000</c>.</param>
    /// <param name="arguments">The probe's.</param>
    /// <returns>What it wrote.</returns>
    public static string Run(string limit, params string[] arguments)
    {
        using var process = new Process
        {
            StartInfo = new ProcessStartInfo(
                "/bin/sh",
                [
                    "-c", $"{limit} && exec \"$@\"", "sh", DotnetHost.Path,
                    Path.Combine(AppContext.BaseDirectory, "NumaSharp.MemoryProbe.dll"), .. arguments,
                ])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };

        // Else the runtime reserves hundreds of gigabytes for its own heap.
        process.StartInfo.Environment["DOTNET_GCHeapHardLimit"] = "0x8000000";
        process.Start();
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
