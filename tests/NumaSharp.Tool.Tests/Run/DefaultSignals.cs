using System.Runtime.CompilerServices;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>
/// Signals end these tests' processes also if the process that runs the tests ignores them, as nohup and shells' background jobs
/// do: what is ignored stays so in all that is started (signal(7)), and a shell cannot trap it.
/// </summary>
internal static class DefaultSignals
{
    // Before the runtime notes which signals were ignored when it began.
#pragma warning disable CA2255 // This is a program.
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void Restore()
    {
        if (OperatingSystem.IsLinux())
        {
            foreach (var signal in (ReadOnlySpan<int>)[ProcessCalls.SIGHUP, ProcessCalls.SIGINT, ProcessCalls.SIGQUIT])
            {
                Assert.True(ProcessCalls.ResetSignal(signal).Succeeded);
            }
        }
    }
}
