using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    public const int SIGHUP = 1;
    public const int SIGINT = 2;
    public const int SIGQUIT = 3;
    public const int SIGKILL = 9;
    public const int SIGUSR1 = 10;
    public const int SIGUSR2 = 12;
    public const int SIGPIPE = 13;
    public const int SIGTERM = 15;
    public const int SIGCONT = 18;
    public const int SIGSTOP = 19;
    public const int SIGTSTP = 20;

    private const int SIG_SETMASK = 2;
    private const nint SIG_DFL = 0;
    private const nint SIG_ERR = -1;

    // sigset_t of glibc and musl.
    private const int SignalSetBytes = 128;

    /// <summary>signal(2): resets a signal; execve(2) resets handlers, but keeps signals ignored.</summary>
    public static SysResult ResetSignal(int signal) => SysResult.FromReturn(Signal(signal, SIG_DFL) == SIG_ERR ? -1 : 0);

    /// <summary>sigprocmask(2): unblocks all signals of the calling thread; the mask is kept over execve(2).</summary>
    public static unsafe SysResult UnblockSignals()
    {
        var none = stackalloc byte[SignalSetBytes];
        new Span<byte>(none, SignalSetBytes).Clear();
        return SysResult.FromReturn(SetSignalMask(SIG_SETMASK, none, null));
    }

    [LibraryImport("libc", EntryPoint = "signal", SetLastError = true)]
    private static partial nint Signal(int signal, nint handler);

    [LibraryImport("libc", EntryPoint = "sigprocmask", SetLastError = true)]
    private static unsafe partial int SetSignalMask(int how, byte* set, byte* old);
}
