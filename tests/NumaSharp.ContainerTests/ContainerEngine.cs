using System.Diagnostics;
using NumaSharp.ContainerTests;

[assembly: AssemblyFixture(typeof(ContainerEngine))]

namespace NumaSharp.ContainerTests;

/// <summary>
/// The engine that the docker command finds (<c>DOCKER_HOST</c>, or its usual socket). Where none answers, one of the tests' own,
/// which needs root, and ends with them.
/// </summary>
public sealed class ContainerEngine : IAsyncDisposable
{
    private const string Address = "DOCKER_HOST";

    private readonly Lazy<Task<string?>> _whyNot;
    private Process? _own;

    public ContainerEngine() => _whyNot = new(FindAsync);

    /// <summary>Skips the test, with the reason, where no container can be run.</summary>
    public async Task SkipUnlessThereAsync()
    {
        if (await _whyNot.Value is { } reason)
        {
            Assert.Skip(reason);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_own is null)
        {
            return;
        }

        // It runs for as long as this is open.
        _own.StandardInput.Close();
        await _own.WaitForExitAsync(CancellationToken.None).Within();
        _own.Dispose();
    }

    private async Task<string?> FindAsync()
    {
        if (!OperatingSystem.IsLinux())
        {
            return "Containers of this test are Linux's, in the network of this machine.";
        }

        if (!ExternalProgram.IsThere("docker"))
        {
            return "docker is not installed (Debian: docker.io).";
        }

        var engine = await Docker.TryAsync("info", "--format", "{{.Name}}");
        if (engine.Succeeded && engine.Errors.Length == 0)
        {
            return engine.Output.Trim() == Environment.MachineName ? null : $"The engine is on another machine: {engine.Output}";
        }

        return Environment.GetEnvironmentVariable(Address) is { Length: > 0 } address
            ? $"No container engine answers at {address}."
            : !ExternalProgram.IsThere("dockerd")
            ? "No container engine answers, and dockerd is not installed (Debian: docker.io)."
            : !Environment.IsPrivilegedProcess ? "No container engine answers, and only root can start one."
            : await StartAsync();
    }

    private async Task<string?> StartAsync()
    {
        _own = Process.Start(new ProcessStartInfo(Repository.PathOf("tests", "NumaSharp.ContainerTests", "engine"))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        var answer = await _own.StandardOutput.ReadLineAsync(CancellationToken.None).Within("the engine's address");
        if (answer?.StartsWith("unix://", StringComparison.Ordinal) != true)
        {
            return $"No container engine starts: {answer}";
        }

        // For the docker command, and for Testcontainers, which reads it when it is first used.
        Environment.SetEnvironmentVariable(Address, answer);
        return null;
    }
}
