namespace NumaSharp.Tests.Containers;

/// <summary>A container that was started, and may have ended; disposing of it removes it.</summary>
public interface IRunningContainer : IAsyncDisposable
{
    /// <summary>What the application has written so far, to both of its streams.</summary>
    Task<string> ReadLogAsync();

    /// <summary>The process id of the application outside of the container.</summary>
    Task<int> GetProcessIdAsync();

    /// <summary>Gives it other CPUs while it runs.</summary>
    Task SetCpusAsync(string cpus);

    /// <summary>Runs a program in it.</summary>
    /// <returns>Whether there was one to run.</returns>
    Task<bool> TryRunAsync(params string[] command);

    /// <summary>Asks it to stop, as an orchestrator does, and waits for that.</summary>
    Task StopAsync();

    /// <summary>Waits until it has ended.</summary>
    Task<int> WaitForExitAsync();
}
