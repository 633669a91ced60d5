using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using NumaSharp.Plugins.Windows.Interop;

[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.System32)]

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>Calls of kernel32.dll. Wrappers return the Win32 error, 0 on success.</summary>
[SupportedOSPlatform("windows")]
internal static partial class Native
{
    private const string Kernel32 = "kernel32.dll";

    // kernel32.dll does not forward VirtualAlloc2.
    private const string KernelBase = "kernelbase.dll";

    // The values of GetCurrentProcess() and GetCurrentThread(), which are constants.
    private const nint CurrentProcess = -1;
    private const nint CurrentThread = -2;

    // The LibraryImport stub saves the error right after the call.
    private static int ErrorOf(int returned) => returned != 0 ? Win32Error.ERROR_SUCCESS : LastError();

    private static int ErrorOf(nint returned) => returned != 0 ? Win32Error.ERROR_SUCCESS : LastError();

    // A failure without an error code must not look like success.
    private static int LastError() =>
        Marshal.GetLastPInvokeError() is var error and not Win32Error.ERROR_SUCCESS ? error : Win32Error.ERROR_GEN_FAILURE;

    private static bool HasExport(string library, string name) =>
        NativeLibrary.TryLoad(library, typeof(Native).Assembly, DllImportSearchPath.System32, out var handle)
        && NativeLibrary.TryGetExport(handle, name, out _);
}

/// <summary>GROUP_AFFINITY (winnt.h): CPUs of one processor group.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct GroupAffinity
{
    public readonly nuint Mask;
    public readonly ushort Group;

    // Must be 0, or SetThreadGroupAffinity refuses.
    private readonly ushort _reserved0;
    private readonly ushort _reserved1;
    private readonly ushort _reserved2;

    public GroupAffinity(ushort group, ulong mask)
    {
        Mask = (nuint)mask;
        Group = group;
    }
}

/// <summary>PROCESSOR_NUMBER (winnt.h): a CPU of a processor group.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct ProcessorNumber
{
    public readonly ushort Group;
    public readonly byte Number;
    private readonly byte _reserved;

    public ProcessorNumber(ushort group, byte number)
    {
        Group = group;
        Number = number;
    }
}
