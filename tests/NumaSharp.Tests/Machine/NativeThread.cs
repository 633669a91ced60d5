using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Affinity;

/// <summary>A thread that a native library would start: the runtime learns of it only when it calls managed code.</summary>
internal sealed unsafe partial class NativeThread : IDisposable
{
    private readonly ManualResetEventSlim _mayRead = new();
    private readonly ManualResetEventSlim _hasRead = new();
    private GCHandle _self;
    private nuint _thread;
    private CpuSet? _mask;

    /// <summary>Starts a thread that waits for <see cref="Join"/> and then reads its mask.</summary>
    public static NativeThread Start()
    {
        var result = new NativeThread();
        result._self = GCHandle.Alloc(result);
        Assert.Equal(0, Create(out result._thread, null, &Run, GCHandle.ToIntPtr(result._self)));
        return result;
    }

    /// <summary>The thread's mask.</summary>
    public CpuSet? Join()
    {
        _mayRead.Set();

        // It has no limit; behind this the thread has nothing left to do.
        Wait.For(_hasRead);
        Assert.Equal(0, Join(_thread, null));
        _self.Free();
        Dispose();
        return _mask;
    }

    public void Dispose()
    {
        _mayRead.Dispose();
        _hasRead.Dispose();
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static nint Run(nint argument)
    {
        var self = (NativeThread)GCHandle.FromIntPtr(argument).Target!;
        self._mayRead.Wait(CancellationToken.None);
        _ = new LinuxAffinityProvider().GetThreadCpus(out self._mask);
        self._hasRead.Set();
        return 0;
    }

    [LibraryImport("libc", EntryPoint = "pthread_create")]
    private static partial int Create(
        out nuint thread, void* attributes, delegate* unmanaged[Cdecl]<nint, nint> routine, nint argument);

    [LibraryImport("libc", EntryPoint = "pthread_join")]
    private static partial int Join(nuint thread, void** result);
}
