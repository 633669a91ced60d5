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

        if (await Docker.TryAskAsync("{{.Name}} {{.SecurityOptions}}") is not { } engine)
        {
            return $"The container engine does not answer within {Wait.Limit}.";
        }

        if (engine.Succeeded && engine.Errors.Length == 0)
        {
            return !engine.Output.StartsWith($"{Environment.MachineName} ", StringComparison.Ordinal)
                ? $"The engine is on another machine: {engine.Output}"

                // Its containers have the cpusets and rights that the user's own session may give: not what is tested.
                : engine.Output.Contains("name=rootless", StringComparison.Ordinal) ? "The container engine is rootless."
                : null;
        }

        return Environment.GetEnvironmentVariable(Address) is { Length: > 0 } address
            ? $"No container engine answers at {address}."
            : !ExternalProgram.IsThere("dockerd")
            ? "No container engine answers, and dockerd is not installed (Debian: docker.io)."
            : !ExternalProgram.IsThere("runc")
            ? "No container engine answers, and dockerd needs runc, which is not installed."
            : !Environment.IsPrivilegedProcess ? "No container engine answers, and only root can start one."
            : await StartAsync();
    }

    private async Task<string?> StartAsync()
    {
        // Not an ExternalProgram, which ends by a kill: this one cleans up when its input ends.
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
