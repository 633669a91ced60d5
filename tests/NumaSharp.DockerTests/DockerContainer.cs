using System.Globalization;
using NumaSharp.Tests.Containers;

namespace NumaSharp.DockerTests;

/// <summary>A container of the engine.</summary>
internal sealed class DockerContainer : IRunningContainer
{
    private readonly string _id;

    private DockerContainer(string id) => _id = id;

    public static async Task<DockerContainer> StartAsync(string image, ContainerSettings settings)
    {
        List<string> arguments = ["run", "--detach", "--network", "host"];
        Add("--cpuset-cpus", settings.Cpus);
        Add("--cpuset-mems", settings.Mems);
        Add("--memory", settings.MemoryBytes > 0 ? settings.MemoryBytes.ToString(CultureInfo.InvariantCulture) : null);
        Add("--cap-add", settings.MaySetNice ? "SYS_NICE" : null);
        Add("--user", settings.User);
        if (settings.IsReadOnly)
        {
            arguments.Add("--read-only");
        }

        return new DockerContainer(
            await Docker.RunAsync([.. arguments, image, .. WebContainer.Addresses, .. settings.Arguments]));

        void Add(string option, string? value)
        {
            if (value is not null)
            {
                arguments.AddRange([option, value]);
            }
        }
    }

    public async Task<string> ReadLogAsync()
    {
        var result = await Docker.TryAsync("logs", _id);
        Assert.True(result.Succeeded, $"docker logs: {result}");
        return result.Output + result.Errors;
    }

    public Task<int> GetProcessIdAsync() => Docker.GetProcessIdAsync(_id);

    public Task SetCpusAsync(string cpus) => Docker.SetCpusAsync(_id, cpus);

    public async Task<bool> TryRunAsync(params string[] command)
    {
        var result = await Docker.TryAsync(["exec", _id, .. command]);
        return Docker.HasRun(result.ExitCode, $"docker exec {string.Join(' ', command)}: {result}");
    }

    public Task StopAsync() => Docker.RunAsync("stop", "--time", "30", _id);

    public async Task<int> WaitForExitAsync() => int.Parse(await Docker.RunAsync("wait", _id), CultureInfo.InvariantCulture);

    public async ValueTask DisposeAsync() => await Docker.RunAsync("rm", "--force", _id);
}
