using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>Whether this process can make the calls at all: a plugin may be registered on any system.</summary>
internal static class WindowsSystem
{
    /// <summary>The calls, or <see langword="null"/> if they are unavailable.</summary>
    public static WindowsCalls? Calls { get; } =
        OperatingSystem.IsWindows() && Environment.Is64BitProcess ? new WindowsCalls() : null;

    /// <summary>Why they are unavailable.</summary>
    public static string Unavailable { get; } = OperatingSystem.IsWindows()
        ? "a 32-bit process cannot see all CPUs of a processor group; run the 64-bit build"
        : "this system is not Windows";

    public static NumaResult NotAvailable { get; } = new(NumaFailure.NotSupported, 0, Unavailable);
}
