using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

/// <summary>
/// Where one thread sleeps until it is signalled. A signal that comes first is kept, several count as one.
/// </summary>
internal abstract class Parker
{
    /// <summary>The cheapest kind that the system has.</summary>
    public static Parker Create() =>
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64
            ? new FutexParker()
            : new MonitorParker();

    /// <summary>Sleeps until there is a signal, and consumes it.</summary>
    /// <param name="milliseconds">The limit, or <see cref="Timeout.Infinite"/>.</param>
    /// <returns>Whether there was a signal within the limit.</returns>
    public abstract bool Wait(int milliseconds = Timeout.Infinite);

    /// <summary>Whether the thread sleeps here.</summary>
    public abstract bool IsAsleep { get; }

    /// <summary>Whether there is a signal that no wait has consumed.</summary>
    public abstract bool IsSignalled { get; }

    /// <summary>Ends the sleep, or the next one.</summary>
    public abstract void Signal();
}
