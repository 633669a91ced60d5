using System.Globalization;

namespace NumaSharp.ContainerTests;

/// <summary>The docker command, with the engine that it finds.</summary>
internal static class Docker
{
    /// <summary>Runs a command that must succeed.</summary>
    /// <returns>What it wrote, without white space around it.</returns>
    public static async Task<string> RunAsync(params string[] arguments) =>
        (await ExternalProgram.RunAsync("docker", arguments)).Trim();

    /// <summary>The process id of a container's program outside of it.</summary>
    public static async Task<int> GetProcessIdAsync(string id) =>
        int.Parse(await RunAsync("inspect", "--format", "{{.State.Pid}}", id), CultureInfo.InvariantCulture);

    public static Task SetCpusAsync(string id, string cpus) => RunAsync("update", "--cpuset-cpus", cpus, id);

    public static Task<ProgramResult> TryAsync(params string[] arguments) => ExternalProgram.TryAsync("docker", arguments);
}
