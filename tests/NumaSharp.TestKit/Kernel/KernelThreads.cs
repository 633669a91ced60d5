using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NumaSharp.TestKit;

/// <summary>
/// What this kernel lets this process ask of threads and processes, by system calls of the tests' own, as
/// <see cref="KernelMemory"/> has it for memory.
/// </summary>
public static unsafe partial class KernelThreads
{
    private static readonly bool s_isArm64 = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>Whether getcpu(2) returns where the calling thread runs.</summary>
    public static bool CanGetCpu
    {
        get
        {
            uint cpu, node;
            return OperatingSystem.IsLinux() && SystemCall(s_isArm64 ? 168 : 309, (nint)(&cpu), (nint)(&node), 0, 0) == 0;
        }
    }

    /// <summary>Whether a process may be traced, ptrace(2), as what writes a dump of it does.</summary>
    public static bool CanTrace
    {
        get
        {
            // PTRACE_SEIZE: the process does not stop for it.
            const nint Seize = 0x4206;
            if (!OperatingSystem.IsLinux())
            {
                return false;
            }

            using var child = Process.Start("sleep", ["1000"]);
            try
            {
                return SystemCall(s_isArm64 ? 117 : 101, Seize, child.Id, 0, 0) == 0;
            }
            finally
            {
                child.Kill();
                child.WaitForExit();
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth);
}
