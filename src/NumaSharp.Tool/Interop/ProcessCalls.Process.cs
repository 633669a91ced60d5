using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    private const int PR_SET_PDEATHSIG = 1;

    /// <summary>getppid(2).</summary>
    [LibraryImport("libc", EntryPoint = "getppid")]
    public static partial int GetParentProcessId();

    /// <summary>setpgid(2): makes the calling process the leader of its own group.</summary>
    public static SysResult LeadOwnGroup() => SysResult.FromReturn(SetProcessGroup(0, 0));

    /// <summary>
    /// prctl(2), PR_SET_PDEATHSIG: a signal when the thread that started this process ends; kept over execve(2) unless the
    /// program has set-user-id.
    /// </summary>
    public static SysResult SetParentDeathSignal(int signal) =>
        SysResult.FromReturn(ProcessControl(PR_SET_PDEATHSIG, signal, 0, 0, 0));

    /// <summary>kill(2); a negative id is a process group.</summary>
    public static SysResult Kill(int processId, int signal) => SysResult.FromReturn(SendSignal(processId, signal));

    [LibraryImport("libc", EntryPoint = "setpgid", SetLastError = true)]
    private static partial int SetProcessGroup(int processId, int groupId);

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int ProcessControl(int option, nint value, nint unused3, nint unused4, nint unused5);

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendSignal(int processId, int signal);
}
