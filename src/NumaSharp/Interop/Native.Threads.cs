using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    private static readonly bool s_libcHasGetCpu =
        NativeLibrary.TryLoad("libc", typeof(Native).Assembly, null, out var libc)
        && NativeLibrary.TryGetExport(libc, "getcpu", out _);

    /// <summary>getcpu(2), through the vDSO where the C library exports it (glibc 2.29), else as a system call.</summary>
    public static unsafe SysResult GetCpu(out int cpu, out int node)
    {
        if (!s_libcHasGetCpu)
        {
            return GetCpuBySyscall(out cpu, out node);
        }

        uint cpuValue = 0;
        uint nodeValue = 0;
        var result = SysResult.FromReturn(GetCpu(&cpuValue, &nodeValue));
        (cpu, node) = ((int)cpuValue, (int)nodeValue);
        return result;
    }

    public static unsafe SysResult GetCpuBySyscall(out int cpu, out int node)
    {
        uint cpuValue = 0;
        uint nodeValue = 0;
        var result = SysResult.FromReturn(Syscall(SyscallNumbers.GetCpu, &cpuValue, &nodeValue, null));
        (cpu, node) = ((int)cpuValue, (int)nodeValue);
        return result;
    }

    [LibraryImport("libc", EntryPoint = "getcpu", SetLastError = true)]
    private static unsafe partial int GetCpu(uint* cpu, uint* node);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint Syscall(nint number, uint* cpu, uint* node, void* unused);
}
