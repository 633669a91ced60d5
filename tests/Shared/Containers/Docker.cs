using System.ComponentModel;
using System.Globalization;

namespace NumaSharp.Tests.Containers;

/// <summary>The docker command, with the engine that it finds (<c>DOCKER_HOST</c>, or its usual socket).</summary>
internal static class Docker
{
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
    public static async Task<string> RunAsync(params string[] arguments) =>
        (await ExternalProgram.RunAsync("docker", arguments)).Trim();

    /// <summary>The process id of a container's program outside of it.</summary>
    public static async Task<int> GetProcessIdAsync(string id) =>
        int.Parse(await RunAsync("inspect", "--format", "{{.State.Pid}}", id), CultureInfo.InvariantCulture);

    public static Task SetCpusAsync(string id, string cpus) => RunAsync("update", "--cpuset-cpus", cpus, id);

    /// <summary>
    /// Whether there was a program to run in a container, by what "docker exec" ended with: 126 where it cannot be run, 127 where
    /// there is none (docs.docker.com, "docker container run").
    /// </summary>
    public static bool HasRun(long? exitCode, string errors)
    {
        Assert.True(exitCode is 0 or 126 or 127, errors);
        return exitCode == 0;
    }

    public static Task<ProgramResult> TryAsync(params string[] arguments) => ExternalProgram.TryAsync("docker", arguments);
}
