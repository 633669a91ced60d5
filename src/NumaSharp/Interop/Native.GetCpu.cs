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
        uint cpuValue = 0;
        uint nodeValue = 0;
        var returned = s_libcHasGetCpu
            ? GetCpu(&cpuValue, &nodeValue)
            : GetCpu(SyscallNumbers.GetCpu, &cpuValue, &nodeValue, null);
        var result = SysResult.FromReturn(returned);
        cpu = (int)cpuValue;
        node = (int)nodeValue;
        return result;
    }

    [LibraryImport("libc", EntryPoint = "getcpu", SetLastError = true)]
    private static unsafe partial int GetCpu(uint* cpu, uint* node);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint GetCpu(nint number, uint* cpu, uint* node, void* unused);
}
