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

    /// <summary>
    /// Asks a container's program to end, and waits for that. Testcontainers and the engine kill it after some seconds, unless
    /// they are given longer: a slow machine may need that.
    /// </summary>
    public static Task StopAsync(string id) =>
        RunAsync("stop", "-t", Wait.Limit.TotalSeconds.ToString(CultureInfo.InvariantCulture), id);

    /// <summary>What the engine says of itself; nothing where it does not answer.</summary>
    public static async Task<ProgramResult?> TryAskAsync(string format)
    {
        try
        {
            return await ExternalProgram.TryAsync("docker", "info", "--format", format);
        }
        catch (TimeoutException)
        {
            return null;
        }
    }
}
