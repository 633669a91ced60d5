using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>The kernel's struct epoll_params (include/uapi/linux/eventpoll.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EpollParameters
{
    public uint BusyPollMicroseconds;
    public ushort BusyPollBudget;
    public byte PreferBusyPoll;
    public byte Padding;
}
