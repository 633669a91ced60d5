using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>MEMORYSTATUSEX (sysinfoapi.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct MemoryStatus
{
    /// <summary>Must be set to the structure's size before the call.</summary>
    public uint Length;
    public uint MemoryLoad;
    public ulong TotalPhysical;
    public ulong AvailablePhysical;
    public ulong TotalPageFile;
    public ulong AvailablePageFile;
    public ulong TotalVirtual;
    public ulong AvailableVirtual;
    public ulong AvailableExtendedVirtual;
}
