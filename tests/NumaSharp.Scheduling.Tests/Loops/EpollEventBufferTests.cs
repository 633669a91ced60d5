using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed unsafe class EpollEventBufferTests
{
    [Fact]
    public void Layout_IsTheKernels()
    {
        var packed = RuntimeInformation.ProcessArchitecture == Architecture.X64;

        Assert.Equal(packed ? 12 : 16, EpollEventBuffer.Stride);
        Assert.Equal(packed ? 4 : 8, EpollEventBuffer.DataOffset);
    }

    [Fact]
    public void Read_WhatWasWritten_ComesBack()
    {
        using var buffer = new EpollEventBuffer(3);
        EpollEventBuffer.Write((byte*)buffer.Pointer + (2 * EpollEventBuffer.Stride), 0x8000_0001, 0x1122_3344_5566_7788);
        buffer.Read(2, out var events, out var data);

        Assert.Equal(0x8000_0001, events);
        Assert.Equal(0x1122_3344_5566_7788UL, data);
    }
}
