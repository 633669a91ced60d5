using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

/// <summary>Calls of a process that becomes another program, and of the one that starts it.</summary>
internal static partial class ProcessCalls
{
    /// <summary>execve(2); returns only on failure.</summary>
    public static unsafe SysResult Execute(string path, IReadOnlyList<string> arguments, IReadOnlyList<string> environment)
    {
        var argv = ToNative(arguments);
        var envp = ToNative(environment);
        try
        {
            return SysResult.FromReturn(Execve(path, argv, envp));
        }
        finally
        {
            Free(argv);
            Free(envp);
        }
    }

    private static unsafe byte** ToNative(IReadOnlyList<string> texts)
    {
        var pointers = (byte**)NativeMemory.Alloc((nuint)texts.Count + 1, (nuint)sizeof(byte*));
        for (var i = 0; i < texts.Count; i++)
        {
            pointers[i] = (byte*)Marshal.StringToCoTaskMemUTF8(texts[i]);
        }

        pointers[texts.Count] = null;
        return pointers;
    }

    private static unsafe void Free(byte** pointers)
    {
        for (var pointer = pointers; *pointer is not null; pointer++)
        {
            Marshal.FreeCoTaskMem((nint)(*pointer));
        }

        NativeMemory.Free(pointers);
    }

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Execve(string path, byte** argv, byte** envp);

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

    // No C library exports it: arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for arm64.
    private static readonly nint s_setMemPolicy = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 237 : 238;

    /// <summary>set_mempolicy(2): the nodes that the calling thread's pages come from; kept over execve(2).</summary>
    public static unsafe SysResult SetMemoryPolicy(int mode, ReadOnlySpan<ulong> nodes)
    {
        // The kernel decrements maxnode before it reads the mask (get_nodes in mm/mempolicy.c).
        var maxNode = ((nuint)nodes.Length * 64) + 1;
        fixed (ulong* words = nodes)
        {
            return SysResult.FromReturn(SetMemPolicy(s_setMemPolicy, mode, words, maxNode));
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint SetMemPolicy(nint number, nint mode, ulong* nodeMask, nuint maxNode);

    private const short POLLOUT = 4;

    /// <summary>write(2), possibly of a part; waits if the descriptor is non-blocking and full.</summary>
    public static unsafe SysResult WritePart(int descriptor, ReadOnlySpan<byte> bytes)
    {
        while (true)
        {
            SysResult result;
            fixed (byte* start = bytes)
            {
                result = SysResult.FromReturn(Write(descriptor, start, (nuint)bytes.Length));
            }

            if (result.IsAgain)
            {
                // Another process on the same terminal may have set non-blocking mode, which belongs to the open file.
                var wait = new PollDescriptor { Descriptor = descriptor, Events = POLLOUT };
                _ = Poll(&wait, 1, -1);
            }
            else if (!result.IsInterrupted)
            {
                return result;
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static unsafe partial nint Write(int fd, byte* bytes, nuint count);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    private static unsafe partial int Poll(PollDescriptor* descriptors, nuint count, int timeoutMilliseconds);

    // struct pollfd of poll(2).
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }

    /// <summary>Redirects standard input from /dev/null (dup2(2)); the copy has no O_CLOEXEC.</summary>
    public static SysResult EmptyStandardInput()
    {
        var opened = Native.OpenReadOnly("/dev/null");
        if (!opened.Succeeded)
        {
            return opened;
        }

        using var source = new SafeFileHandle((nint)opened.Value, ownsHandle: true);
        return SysResult.FromReturn(Duplicate((int)opened.Value, 0));
    }

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(int from, int to);
}
