using System.Diagnostics;
using System.Text.Json;
using NumaSharp.GuestProbe;

namespace NumaSharp.GuestTests.Support;

/// <summary>A program of the guest's image, run to its end.</summary>
/// <param name="ExitCode">How it ended.</param>
/// <param name="Output">What it said.</param>
/// <param name="Errors">What it complained of.</param>
internal sealed record Child(int ExitCode, string Output, string Errors)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    /// <summary>What the probe reports of its surroundings.</summary>
    /// <param name="arguments">The probe's.</param>
    /// <param name="cgroup">The folder of the cgroup that it starts in, if not in this process's.</param>
    public static async Task<ProbeReport> ProbeAsync(string[] arguments, string? cgroup = null)
    {
        var child = await RunAsync("NumaSharp.GuestProbe.dll", arguments, cgroup);
        Assert.True(child is { ExitCode: 0, Errors: "" }, $"The probe ended with {child.ExitCode}: {child.Errors}");
        return JsonSerializer.Deserialize<ProbeReport>(child.Output)!;
    }

    public static async Task<Child> RunAsync(string assembly, string[] arguments, string? cgroup = null)
    {
        using var process = StartOnAllCpus(() => Process.Start(StartInfoOf(assembly, arguments, cgroup))!);
        try
        {
            var output = process.StandardOutput.ReadToEndAsync();
            var errors = process.StandardError.ReadToEndAsync();
            await process.WaitForExitAsync().WaitAsync(s_patience);
            return new Child(process.ExitCode, await output, await errors);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
                await process.WaitForExitAsync();
            }
        }
    }

    /// <summary>
    /// Starts a process that may use every CPU: it inherits the mask of the thread that starts it, and a thread of the pool that
    /// was born while another test had CPUs offline lacks these for good.
    /// </summary>
    public static T StartOnAllCpus<T>(Func<T> start) => OnThread.Run(TheMachine.AllCpus, start);

    /// <summary>The shell enters the cgroup and becomes the program, so that no instruction of it runs outside.</summary>
    public static ProcessStartInfo StartInfoOf(string assembly, IEnumerable<string> arguments, string? cgroup = null)
    {
        var enter = cgroup is null ? "" : $"echo 0 > {cgroup}/cgroup.procs && ";
        var program = Path.Combine(AppContext.BaseDirectory, assembly);
        return new ProcessStartInfo("sh", ["-c", enter + "exec dotnet \"$@\"", "sh", program, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
    }
}
