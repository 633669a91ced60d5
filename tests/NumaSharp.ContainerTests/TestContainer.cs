using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Configurations;
using DotNet.Testcontainers.Containers;
using DotNet.Testcontainers.Images;
using WaitStrategy = DotNet.Testcontainers.Builders.Wait;

namespace NumaSharp.ContainerTests;

/// <summary>
/// A container that was started, and may have ended; disposing of it removes it. What Testcontainers cannot do while one runs,
/// the docker command does.
/// </summary>
internal sealed class TestContainer : IAsyncDisposable
{
    private const string ApiVersion = "DOCKER_API_VERSION";

    private static readonly Lazy<Task> s_settings = new(PrepareAsync);

    private readonly IContainer _container;

    private TestContainer(IContainer container) => _container = container;

    public static async Task<TestContainer> StartAsync(string image, ContainerSettings settings)
    {
        await s_settings.Value;
        var container = new ContainerBuilder(image)
            .WithCommand([.. WebContainer.Addresses, .. settings.Arguments])
            .WithImagePullPolicy(PullPolicy.Never)
            .WithWaitStrategy(WaitStrategy.ForUnixContainer().AddCustomWaitStrategy(new Started()))
            .WithCreateParameterModifier(parameters => Apply(settings, parameters))
            .Build();
        try
        {
            await container.StartAsync();
            return new TestContainer(container);
        }
        catch
        {
            await container.DisposeAsync();
            throw;
        }
    }

    /// <summary>What the application has written so far, to both of its streams.</summary>
    public async Task<string> ReadLogAsync()
    {
        var (output, errors) = await _container.GetLogsAsync(timestampsEnabled: false);
        return output + errors;
    }

    /// <summary>The process id of the application outside of the container.</summary>
    public Task<int> GetProcessIdAsync() => Docker.GetProcessIdAsync(_container.Id);

    /// <summary>Gives it other CPUs while it runs.</summary>
    public Task SetCpusAsync(string cpus) => Docker.SetCpusAsync(_container.Id, cpus);

    /// <summary>Runs a program in it.</summary>
    /// <returns>
    /// Whether there was one to run: the exit code is 126 where it cannot be run, 127 where there is none (docs.docker.com,
    /// "docker container run").
    /// </returns>
    public async Task<bool> TryRunAsync(params string[] command)
    {
        var result = await _container.ExecAsync(command);
        Assert.True(result.ExitCode is 0 or 126 or 127, $"{string.Join(' ', command)}: {result.Stderr}");
        return result.ExitCode == 0;
    }

    /// <summary>Asks it to stop, as an orchestrator does, and waits for that.</summary>
    public Task StopAsync() => Docker.StopAsync(_container.Id);

    /// <summary>Waits until it has ended.</summary>
    public async Task<int> WaitForExitAsync() => (int)await _container.GetExitCodeAsync().Within("the container's end");

    public ValueTask DisposeAsync() => _container.DisposeAsync();

    // Before the first use of Testcontainers, which reads the environment once. It asks for an API that the engine of Debian 12
    // does not have yet, unless another is set. Its reaper is an image, for which there may be no registry: each container is
    // removed by its test.
    private static async Task PrepareAsync()
    {
        if (Environment.GetEnvironmentVariable(ApiVersion) is null)
        {
            var version = await Docker.RunAsync("version", "--format", "{{.Server.APIVersion}}");
            Environment.SetEnvironmentVariable(ApiVersion, version);
        }

        TestcontainersSettings.ResourceReaperEnabled = false;
    }

    private static void Apply(ContainerSettings settings, CreateContainerParameters parameters)
    {
        parameters.User = settings.User ?? parameters.User;
        var host = parameters.HostConfig ??= new HostConfig();
        host.NetworkMode = "host";
        host.CpusetCpus = settings.Cpus ?? "";
        host.CpusetMems = settings.Mems ?? "";
        host.Memory = settings.MemoryBytes;
        host.ReadonlyRootfs = settings.IsReadOnly;
        host.CapAdd = settings.MaySetNice ? ["SYS_NICE"] : [];
    }

    /// <summary>Whether it listens, or has ended as it should, is what the scenarios find out themselves.</summary>
    private sealed class Started : IWaitUntil
    {
        public Task<bool> UntilAsync(IContainer container) => Task.FromResult(true);
    }
}
