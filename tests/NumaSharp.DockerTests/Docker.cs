using System.ComponentModel;
using System.Diagnostics;

namespace NumaSharp.DockerTests;

/// <summary>The docker command, with the engine that it finds (<c>DOCKER_HOST</c>, or its usual socket).</summary>
internal static class Docker
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    /// <summary>Why no container can be run here; <see langword="null"/> where it can.</summary>
    public static async Task<string?> WhyNotAsync()
    {
        if (!OperatingSystem.IsLinux())
        {
            return "Containers of this test are Linux's, in the network of this machine.";
        }

        try
        {
            var engine = await TryAsync("info", "--format", "{{.Name}}");
            return !engine.Succeeded || engine.Errors.Length > 0 ? $"No container engine answers: {engine.Errors}"
                : engine.Output.Trim() != Environment.MachineName ? $"The engine is on another machine: {engine.Output}"
                : null;
        }
        catch (Win32Exception exception)
        {
            return $"There is no docker command: {exception.Message}";
        }
    }

    /// <summary>Runs a command that must succeed.</summary>
    /// <returns>What it wrote, without white space around it.</returns>
    public static async Task<string> RunAsync(params string[] arguments)
    {
        var result = await TryAsync(arguments);
        Assert.True(result.Succeeded, $"docker {string.Join(' ', arguments)}: {result}");
        return result.Output.Trim();
    }

    public static Task<CommandResult> TryAsync(params string[] arguments) => RunProgramAsync("docker", s_patience, arguments);

    public static async Task<CommandResult> RunProgramAsync(string program, TimeSpan patience, params string[] arguments)
    {
        using var limit = new CancellationTokenSource(patience);
        using var process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(limit.Token);
            var errors = process.StandardError.ReadToEndAsync(limit.Token);
            await process.WaitForExitAsync(limit.Token);
            return new CommandResult(process.ExitCode, await output, await errors);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{program} {string.Join(' ', arguments)} takes more than {patience}.");
        }
    }
}
